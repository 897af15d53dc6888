//! By hand: what is a prompt, and what a model is asked.

use super::{PROMPT, Project, ledger};
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_is_no_prompt_is_refused() {
    let project = Project::new();
    ledger(&project);
    let run = |arguments: &[&str], input: &str| {
        let output = project.0.tool("lh-select").args(arguments).write_stdin(input).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), said)
    };
    let blank = project.payload("s1", " ").to_string();
    for (arguments, input) in
        [(&[""][..], ""), (&[" ", ""], PROMPT), (&[], ""), (&[], " \n"), (&[], "<private>x</private>"), (&[], &*blank)]
    {
        let (status, [out, err]) = run(arguments, input);
        assert!(
            status == 64 && out.is_empty() && err.contains("no prompt: give its words"),
            "{arguments:?} {input}: {err}"
        );
    }
    for option in ["--used", "--hook"] {
        let (status, [out, err]) = run(&[option, "deploy"], "");
        assert!(status == 64 && out.is_empty() && err.contains("unexpected 'deploy'"), "{option}: {err}");
    }
    let payload = project.payload("s1", PROMPT).to_string();
    let cut = &payload[..payload.len() - 2];
    for (input, wanted) in [
        (payload.as_str(), 0),
        (&*format!("{{\"hook_event_name\":\"x\",\"prompt\":\"{PROMPT}\"}}"), 0),
        (PROMPT, 0),
        (&*format!("{{\"a\": 1}} is what I get: {PROMPT}"), 0),
        (&*format!("{{\"prompt\":\"{PROMPT}\"}}"), 65),
        (&*format!("[\"{PROMPT}\"]"), 65),
        (&*format!("{payload}\n{payload}"), 65),
        (cut, 65),
    ] {
        let (status, [out, err]) = run(&[], input);
        assert_eq!((status, out.is_empty(), err.is_empty()), (wanted, wanted != 0, wanted == 0), "{input}: {err}");
    }
}

#[test]
fn a_model_is_asked_only_what_it_may_be_asked() {
    let project = Project::new();
    let script = format!("#!/bin/sh\ncat >{}/asked\nprintf '[1, 60, 200]'\n", project.0.path("").display());
    let path = project.0.write("model", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!("[compound_loop]\ncommand = \"{}\"\nmax_prompt_chars = 2000\n", path.display());
    project.0.write(".config/lazy-harness/config.toml", &text);
    // There is nothing to choose from.
    assert_eq!(project.chosen(&["-e", "command", PROMPT]), (Some(1), vec![], String::new()));
    assert_eq!(project.chosen(&["-e", "command", " "]).0, Some(64));
    assert!(!project.0.path("asked").exists() && !project.0.path(".claude/logs/llm.jsonl").exists());
    for n in 0..60 {
        project.put(&format!("note-{n}"), &"what it says ".repeat(40), "x");
    }
    let long = format!("---\nname: {}\ndescription: d\n---\n", "name ".repeat(5000));
    std::fs::write(project.memory("long.md"), long).unwrap();
    let (status, names, said) = project.chosen(&["-e", "command", &"the prompt\n".repeat(500)]);
    let asked = project.0.read("asked");
    assert!(asked.chars().count() <= 2000 && asked.contains("\n1. name name"), "{asked}");
    assert!(!asked.contains(&"name ".repeat(30)), "{asked}");
    // What it did not see it cannot choose.
    assert!(status == Some(0) && names.len() == 1 && names[0].starts_with("name name"), "{names:?}");
    assert!(said.contains("of 61 memories: [compound_loop] max_prompt_chars"), "{said}");
}
