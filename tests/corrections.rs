//! A later decision takes the place of an earlier one: who says so, what the start tells, and lh-history.

use crate::home::Home;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// The project is the home's own folder.
struct Project(Home);

impl Project {
    fn new() -> Self {
        Self(Home::new())
    }

    fn folder(&self) -> PathBuf {
        let cwd = self.0.path("").canonicalize().unwrap();
        let slug: String =
            cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        self.0.path(&format!(".claude/projects/{slug}"))
    }

    /// A session on a day of April as a record: `U:` the user, `A:` the agent, `$:` a command of the agent's.
    fn session(&self, day: u32, script: &[&str]) -> String {
        let cwd = self.0.path("").canonicalize().unwrap();
        let mut text = String::new();
        for (at, said) in script.iter().enumerate() {
            let (who, words) = said.split_once(": ").unwrap();
            let role = if who == "U" { "user" } else { "assistant" };
            let part = match who {
                "$" => json!({"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": words}}),
                _ => json!({"type": "text", "text": words}),
            };
            let record = json!({
                "type": role, "uuid": format!("u{at}"), "parentUuid": at.checked_sub(1).map(|before| format!("u{before}")),
                "timestamp": format!("2026-04-{day:02}T12:{at:02}:00.000Z"), "cwd": cwd, "entrypoint": "cli",
                "isSidechain": false, "message": {"role": role, "id": format!("m{at}"), "content": [part]},
            });
            text += &(record.to_string() + "\n");
        }
        let path = self.folder().join(format!("dddddddd-{day}.jsonl"));
        std::fs::create_dir_all(self.folder()).unwrap();
        std::fs::write(&path, text).unwrap();
        let output = self.0.tool("lh-find-session").arg(path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// A tool's status, and what it prints and says.
    fn run(&self, tool: &str, arguments: &[&str], input: &str) -> (Option<i32>, String) {
        let mut command = self.0.tool(tool);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.0.path("path").display()));
        let form = ["lh-forget", "lh-history"].contains(&tool).then_some("--text");
        let output = command.args(form).args(arguments).write_stdin(input).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    }

    fn does(&self, tool: &str, arguments: &[&str], input: &str) -> String {
        let (status, said) = self.run(tool, arguments, input);
        assert_eq!(status, Some(0), "{tool} {arguments:?}: {said}");
        said
    }

    /// Distils a session without a model, and persists it.
    fn extracted(&self, day: u32, script: &[&str]) -> Value {
        let record = self.does("lh-distill", &["-e", "extract"], &self.session(day, script));
        self.does("lh-persist", &[], &record);
        serde_json::from_str(&record).unwrap()
    }

    /// The record from a model's answer.
    fn answered(&self, day: u32, script: &[&str], lists: &Value) -> Value {
        let answer = json!({"type": "result", "is_error": false, "result": lists.to_string(), "total_cost_usd": 0.1,
            "usage": {"input_tokens": 1, "output_tokens": 1}});
        self.0.write("answer", &answer.to_string());
        let path = self.0.write("path/claude", "#!/bin/sh\ncat >/dev/null\ncat \"$HOME/answer\"\n");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        serde_json::from_str(&self.does("lh-distill", &[], &self.session(day, script))).unwrap()
    }

    fn told(&self) -> String {
        self.does("lh-context", &["--format", "markdown"], "")
    }

    /// The lines of the journal of decisions.
    fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder().join("memory/decisions.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn remember(&self, name: &str, lines: &[Value]) {
        std::fs::create_dir_all(self.folder().join("memory/.state")).unwrap();
        let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        std::fs::write(self.folder().join("memory").join(name), text).unwrap();
    }

    /// The id of the decision with these words.
    fn id(&self, words: &str) -> String {
        let journal = self.journal();
        let line = journal.iter().rfind(|line| line["summary"].to_string().contains(words));
        line.unwrap_or_else(|| panic!("{words}: {journal:?}"))["id"].as_str().unwrap().to_owned()
    }
}

/// A decision as it is in a journal.
fn decided(day: u32, id: u64, summary: &str, replaces: &[u64]) -> Value {
    let ids: Vec<String> = replaces.iter().map(|id| format!("{id:016x}")).collect();
    json!({"ts": format!("2026-04-{day:02}T10:00:00Z"), "type": "decision", "summary": summary, "id": format!("{id:016x}"),
        "replaces": ids, "session_id": format!("eeeeeeee-{day}"), "grounded": true, "said_by": "user"})
}

/// A conflict copy.
const COPY: &str = "decisions.sync-conflict-20260413-183245-ABCDEFG.jsonl";
const REDIS: &[&str] =
    &["U: slow pages", "A: What shall keep their cache, redis or files?", "U: redis", "A: The cache is in redis now."];
const FILES: &[&str] =
    &["U: it is stale", "A: What shall keep their cache, redis or files?", "U: files", "A: Done, the cache is files."];

#[test]
fn a_quote_is_on_the_line_of_the_tool_that_has_it() {
    let project = Project::new();
    let reason = "A table per project would have needed a migration for each field, so the queue is a folder of files.";
    let commit = format!("$: git commit -m 'Store the queue as plain files' -m '{reason}'");
    let script = ["U: keep the queue somewhere", "A: Now I commit it.", &commit, "A: It is committed, all of it."];
    let record = project.session(1, &script);
    // The client writes the parts of one message on a line each.
    let path = project.folder().join("dddddddd-1.jsonl");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"id\":\"m2\"", "\"id\":\"m1\"");
    std::fs::write(&path, &text).unwrap();
    let record: Value = serde_json::from_str(&project.does("lh-distill", &["-e", "extract"], &record)).unwrap();
    let evidence = record["decisions"][0]["evidence"].as_array().unwrap();
    for one in evidence {
        let line = usize::try_from(one["line"].as_u64().unwrap()).unwrap();
        assert!(text.lines().nth(line - 1).unwrap().contains(one["quote"].as_str().unwrap()), "{record}");
    }
    assert_eq!(evidence[0]["line"], 3, "{record}");
}

#[test]
fn over_two_sessions_the_later_decision_hides_the_earlier_one() {
    for (first, second, words) in [
        (REDIS, FILES, ["redis, not files", "files, not redis"]),
        (
            &["U: va lento", "A: ¿Qué guarda la caché de las páginas, redis o ficheros?", "U: redis", "A: Hecho."][..],
            &["U: va mal", "A: ¿Qué guarda la caché de las páginas, redis o ficheros?", "U: ficheros", "A: Hecho."][..],
            ["redis, no ficheros", "ficheros, no redis"],
        ),
    ] {
        let project = Project::new();
        project.extracted(1, first);
        assert!(project.told().contains(words[0]), "{}", project.told());
        let record = project.extracted(2, second);
        let (old, new) = (project.id(words[0]), project.id(words[1]));
        assert_eq!(record["decisions"][0]["replaces"], json!([old]), "{record}");
        assert_eq!(project.journal()[1]["replaces"], json!([old]));
        let told = project.told();
        assert!(told.contains(words[1]) && !told.contains(words[0]), "{told}");
        // The same again changes nothing.
        project.extracted(2, second);
        assert_eq!(project.journal().len(), 2);
        // A model is not told of it as known.
        let prompt = project.does("lh-distill", &["-p"], &project.session(3, &["U: go on with the cache", "A: Ok."]));
        assert!(prompt.contains(&format!("- {} ", &new[..6])) && !prompt.contains(&old[..6]), "{prompt}");
        // The later one is wrong: the earlier one holds again.
        project.does("lh-forget", &[&new], "");
        assert!(project.told().contains(words[0]) && !project.told().contains(words[1]), "{}", project.told());
        project.does("lh-forget", &["--undo"], "");
        assert!(!project.told().contains(words[0]));
    }
}

#[test]
fn a_revert_commit_takes_back_what_an_earlier_session_decided() {
    let project = Project::new();
    let commit = "git commit -m 'Cache the entries in a pickle' -m 'We do so because parsing them takes a second.'";
    project.extracted(1, &["U: make it faster", &format!("$: {commit}"), "A: Committed."]);
    assert!(project.told().contains("Cache the entries in a pickle"), "{}", project.told());
    let revert = "git commit -m 'Revert \"Cache the entries in a pickle\"'";
    project.extracted(2, &["U: it is stale now and then", &format!("$: {revert}"), "A: Committed."]);
    assert_eq!(project.journal()[1]["replaces"], json!([project.id("\"Cache the entries in a pickle\"")]));
    let told = project.told();
    assert!(told.contains("Revert \"Cache") && !told.contains(": Cache the entries"), "{told}");
}

#[test]
fn a_session_that_grew_takes_back_what_it_said_before() {
    let project = Project::new();
    project.extracted(1, REDIS);
    let grown = [REDIS, FILES].concat();
    project.extracted(1, &grown);
    assert_eq!(project.journal().len(), 2, "{:?}", project.journal());
    let told = project.told();
    let decided: Vec<&str> = told.lines().filter(|line| line.starts_with("- decided")).collect();
    assert!(decided.len() == 1 && decided[0].contains("files, not redis"), "{told}");
}

#[test]
fn a_decision_that_is_made_again_is_written_again_and_the_last_one_is_told() {
    let project = Project::new();
    for (day, script) in [(1, REDIS), (2, FILES), (3, REDIS), (4, FILES)] {
        project.extracted(day, script);
        project.extracted(day, script);
        let told = project.told();
        let first = told.lines().find(|line| line.starts_with("- decided")).unwrap();
        assert!(first.contains(&format!("2026-04-{day:02}")), "{told}");
    }
    assert_eq!(project.journal().len(), 4);
    let told = project.told();
    assert_eq!(told.matches("- decided").count(), 1, "{told}");
    // An old session that is distilled late brings nothing back.
    project.extracted(1, REDIS);
    assert_eq!(project.journal().len(), 4);
    let history = project.does("lh-history", &[&project.id("redis, not files")[..6]], "");
    assert_eq!(history.matches("  replaced ").count(), 3, "{history}");
}

#[test]
fn a_model_can_replace_only_what_is_known_and_about_the_same() {
    let project = Project::new();
    let known = [
        decided(1, 0xaaaa_1111, "Use redis for the cache of the pages", &[]),
        decided(1, 0xbbbb_2222, "Write the manual in English", &[]),
        decided(1, 0xcccc_3333, "Retry the cache of the pages three times", &[]),
        decided(1, 0xdddd_4444, "Keep the cache of the pages small", &[]),
        decided(1, 0xeeee_5555, "Warm the cache of the pages at night", &[]),
        decided(9, 0x9999_6666, "Log each miss of the cache of the pages", &[]),
    ];
    project.remember("decisions.jsonl", &known);
    let mut failure = decided(1, 0xffff_6666, "The cache of the pages was stale", &[]);
    failure["type"] = json!("failure");
    project.remember("failures.jsonl", &[failure]);
    let id = |number: u64| format!("{number:016x}");
    let quote = "let's use plain files for the cache of the pages";
    for (replaces, wanted) in [
        (json!(id(0xaaaa_1111)), vec![id(0xaaaa_1111)]),
        (json!([format!("{}: Use redis", &id(0xaaaa_1111)[..16])]), vec![id(0xaaaa_1111)]),
        (json!([id(0xbbbb_2222)]), vec![]),
        (json!(["0123456789abcdef", "the redis one", 7]), vec![]),
        (json!([id(0xffff_6666)]), vec![]),
        // The head of several.
        (json!([&id(0xaaaa_1111)[..6]]), vec![]),
        // Newer than the session.
        (json!([id(0x9999_6666)]), vec![]),
        (
            json!([id(0xaaaa_1111), id(0xcccc_3333), id(0xdddd_4444), id(0xeeee_5555)]),
            vec![id(0xaaaa_1111), id(0xcccc_3333), id(0xdddd_4444)],
        ),
    ] {
        let item =
            |summary: &str, evidence: &str| json!({"summary": summary, "evidence": [evidence], "replaces": replaces});
        let lists = json!({"decisions": [item("Use plain files for the cache of the pages", quote), item("Drop every cache of the pages", "nobody ever said these words")]});
        let record = project.answered(2, &[&format!("U: {quote}"), "A: Done, they are plain files."], &lists);
        let named = record["decisions"][0]["replaces"].as_array().cloned().unwrap_or_default();
        assert_eq!(named, wanted, "{replaces}: {record}");
        // What is not trusted replaces nothing.
        assert_eq!(record["decisions"][1]["grounded"], json!(false));
        assert!(record["decisions"][1].get("replaces").is_none(), "{record}");
    }
}

#[test]
fn of_two_that_name_each_other_the_later_is_told_wherever_they_are() {
    let (a, b) = (decided(1, 1, "Use redis for the cache", &[2]), decided(2, 2, "Use plain files for the cache", &[1]));
    let other = decided(1, 3, "Ship on Fridays", &[]);
    for (own, copy) in [
        (vec![a.clone(), b.clone(), other.clone()], vec![]),
        (vec![other.clone(), b.clone(), a.clone()], vec![]),
        (vec![a.clone(), other.clone()], vec![b.clone()]),
        (vec![b.clone()], vec![a.clone(), other.clone()]),
    ] {
        let project = Project::new();
        project.remember("decisions.jsonl", &own);
        project.remember(COPY, &copy);
        let told = project.told();
        assert!(told.contains("plain files") && told.contains("Fridays") && !told.contains("redis"), "{told}");
    }
    // Nothing that is not trusted or that a tool said takes a place, and no flaw of a field costs the line.
    for (field, value) in [("grounded", json!(false)), ("said_by", json!("tool")), ("replaces", json!({"x": 1}))] {
        let project = Project::new();
        let mut b = b.clone();
        b[field] = value;
        project.remember("decisions.jsonl", &[a.clone(), b]);
        assert!(project.told().contains("redis"), "{field}");
    }
    let project = Project::new();
    let mut b = b;
    b["replaces"] = json!("0000000000000001");
    project.remember("decisions.jsonl", &[a, b]);
    assert!(!project.told().contains("redis"));
}

/// Two rules of the user's that are alike: the later one says nothing about the earlier one, so both hold.
#[test]
fn a_rule_is_not_hidden_by_a_later_one_that_is_alike() {
    for (first, second) in [
        ("Never push to main without a review", "Never push to release without a review"),
        ("Never delete the staging database", "Never delete the production database"),
        ("Always run the linter before a commit", "Always run the tests before a commit"),
        ("Always ask me before you change the schema", "Always ask me before you change the pipeline"),
        ("Use tabs in the Makefile of the importer", "Use spaces in the YAML of the importer"),
        ("I prefer short answers about the code", "I prefer long answers about the design"),
        ("Do not edit files in vendor by hand", "Do not edit files in generated by hand"),
        ("Write commit messages in English, please", "Write release messages in Spanish, please"),
        ("Nunca hagas push a main sin revisión", "Nunca hagas push a release sin revisión"),
        ("Siempre ejecuta las pruebas antes de un commit", "Siempre ejecuta el linter antes de un commit"),
    ] {
        let project = Project::new();
        for (hour, rule) in [("10", first), ("11", second)] {
            let time = format!("2026-04-13T{hour}:00:00Z");
            project.0.tool("lh-persist").env("LH_NOW", time).args(["--remember", rule]).assert().success();
        }
        let told = project.told();
        for rule in [first, second] {
            assert!(told.contains(rule), "{rule}: {told}");
        }
    }
}

/// One claim in other words, and what may be replaced, take no places of other claims.
#[test]
fn a_claim_has_one_place_in_the_history() {
    let others = ["Money is kept in cents", "Reports go out on Monday morning", "Errors are logged in UTC"];
    for (claim, word) in [
        (
            [
                "The importer keeps its queue in plain files of each host",
                "Plain files on each host hold the queue of the importer",
                "Jobs of the importer wait in a queue of plain files on their host",
                "The importer puts its queue into plain files on the host",
            ],
            "plain files",
        ),
        (
            [
                "Entries of the profile cache live for one hour",
                "Entries of the profile cache live for two hours",
                "Entries of the profile cache live for four hours",
                "Entries of the profile cache live for six hours",
            ],
            "profile cache",
        ),
        (
            [
                "La cola del importador se guarda en ficheros planos de cada host",
                "Ficheros planos en cada host contienen la cola del importador",
                "Guardar en ficheros planos, por host, la cola de trabajos del importador",
                "El importador deja su cola en ficheros planos del host",
            ],
            "ficheros planos",
        ),
    ] {
        let project = Project::new();
        let lines: Vec<Value> =
            others.iter().chain(&claim).zip(1..).map(|(summary, at)| decided(at, at.into(), summary, &[])).collect();
        project.remember("decisions.jsonl", &lines);
        let told = project.told();
        let decisions: Vec<&str> = told.lines().filter(|line| line.starts_with("- decided")).collect();
        // The others of the claim come behind everything else.
        let (places, behind) = decisions.split_at(others.len() + 1);
        assert_eq!(places.iter().filter(|line| line.contains(word)).count(), 1, "{told}");
        assert!(others.iter().all(|other| places.iter().any(|line| line.contains(other))), "{told}");
        assert!(behind.iter().all(|line| line.contains(word)), "{told}");
    }
}

#[test]
fn where_an_earlier_one_is_told_the_last_one_about_it_comes_first() {
    let project = Project::new();
    let lines = [
        decided(1, 1, "The profile cache keeps its entries for one hour", &[]),
        decided(2, 2, "The profile cache keeps its entries for two hours", &[]),
        decided(3, 3, "The profile cache keeps its entries for three hours", &[]),
        decided(4, 4, "The profile cache drops its entries after three hours", &[]),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        project.remember("decisions.jsonl", &order.map(|at: usize| lines[at].clone()));
        let told = project.told();
        let days: Vec<&str> =
            told.lines().filter_map(|line| line.strip_prefix("- decided 2026-04-")?.get(..2)).collect();
        assert_eq!(days.first(), Some(&"04"), "{told}");
        assert!(days.iter().skip(1).count() > 0);
        let marked = told.lines().filter(|line| line.contains("(perhaps replaced)")).count();
        assert_eq!(marked, days.len() - 1, "{told}");
    }
}

#[test]
fn what_replaces_the_later_one_is_told_before_both() {
    let project = Project::new();
    let folder = project.0.path("").canonicalize().unwrap();
    assert!(std::process::Command::new("git").args(["init", "-q"]).current_dir(&folder).status().unwrap().success());
    project.0.write("lease.rs", "x");
    // The first is about what goes on here; the last is like the second only.
    let lines = [
        decided(1, 1, "The profile cache of lease.rs keeps entries", &[]),
        decided(2, 2, "The profile cache keeps entries of users", &[]),
        decided(3, 3, "The store keeps entries of users", &[]),
    ];
    project.remember("decisions.jsonl", &lines);
    let told = project.told();
    let days: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("- decided 2026-04-")?.get(..2)).collect();
    assert_eq!(days, ["03", "01", "02"], "{told}");
    // Each is about another thing.
    assert_eq!(told.matches("(perhaps replaced)").count(), 0, "{told}");
}

#[test]
fn recall_tells_what_is_in_its_place_before_what_was_replaced() {
    let project = Project::new();
    let lines = [
        decided(1, 1, "The profile cache keeps entries for one hour", &[]),
        decided(2, 2, "Entries of profiles stay for a day", &[1]),
        decided(3, 3, "Nothing of a profile is kept", &[2]),
    ];
    project.remember("decisions.jsonl", &lines);
    let hits = |args: &[&str]| -> Vec<Value> {
        let said = project.does("lh-recall", args, "");
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let found = hits(&["cache", "one", "hour"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let last = format!("{:016x}", 3);
    for hit in [&found[0], &hits(&["--show", &format!("{:016x}", 1)])[0]] {
        assert_eq!((&hit["state"], &hit["replaced_by"]), (&json!("replaced"), &json!(last)));
        assert_eq!(hit["correction"], "Nothing of a profile is kept");
        let line = hit.to_string();
        assert!(line.find("correction") < line.find("\"text\""), "{line}");
    }
    let found = hits(&["nothing", "profile", "kept"]);
    assert!(found[0]["state"].is_null() && found[0]["correction"].is_null(), "{found:?}");
}

#[test]
fn the_history_of_an_item_is_its_chain_with_what_was_said_of_it() {
    let project = Project::new();
    project.extracted(1, REDIS);
    project.extracted(2, FILES);
    project.extracted(3, &["U: go", "A: Which day is the release, mondays or fridays?", "U: fridays", "A: Ok."]);
    let (old, new) = (project.id("redis, not files"), project.id("files, not redis"));
    let (old, new) = (&old[..6], &new[..6]);
    let wanted = format!(
        "{old} 2026-04-01 decision: What shall keep their cache, redis or files? redis, not files\n  session dddddddd, said by user\n  replaced 2026-04-02 by {new}, session dddddddd\n\
         {new} 2026-04-02 decision: What shall keep their cache, redis or files? files, not redis\n  session dddddddd, said by user\n  in place of {old}\n"
    );
    for words in [&[old][..], &[new], &[old, new]] {
        assert_eq!(project.does("lh-history", words, ""), wanted, "{words:?}");
    }
    project.does("lh-forget", &[new], "");
    let said = project.does("lh-history", &[old], "");
    assert!(
        !said.contains("  replaced") && said.contains("  in place of") && said.contains("  forgotten 20"),
        "{said}"
    );
    project.does("lh-forget", &["--undo"], "");
    let said = project.does("lh-history", &[old], "");
    assert!(said.contains("  replaced 2026") && said.contains("  restored 20"), "{said}");
    assert!(project.does("lh-forget", &[], "").contains(&format!("files (replaced by {new})\n")));
    let two = project.does("lh-history", &[old, &project.id("fridays")[..6]], "");
    assert_eq!(two.matches("  session ").count(), 3, "each chain: {two}");
}

#[test]
fn what_is_not_clear_has_no_history_and_nothing_hostile_is_shown() {
    let project = Project::new();
    let (status, said) = project.run("lh-history", &["abcdef"], "");
    assert!(status == Some(65) && said.starts_with("lh-history: no decision, failure or memory here is"), "{said}");
    assert!(!project.folder().join("memory").exists());
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut hostile = decided(1, 0x1234_5678, &format!("Use the token {secret}\u{1b}[2J\u{202e} here"), &[]);
    hostile["session_id"] = json!("\u{1b}]0;x\u{7}\nid");
    hostile["said_by"] = json!(format!("{secret}\n\u{1b}[1m"));
    project.remember(
        "decisions.jsonl",
        &[
            hostile,
            decided(2, 0x1234_0000, "Use one queue a host", &[0x1234_0000, 0xdead]),
            decided(2, 0x1235_0000, "Use one log a host", &[]),
        ],
    );
    let said = project.does("lh-history", &["token"], "");
    assert!(
        !said.contains(secret) && !said.contains(['\u{1b}', '\u{7}', '\u{202e}']) && said.lines().count() == 2,
        "{said:?}"
    );
    let said = project.does("lh-history", &["queue"], "");
    assert_eq!(said.lines().count(), 2, "an item is not its own correction: {said}");
    for (words, status, wanted) in [
        (&["host"][..], 65, "lh-history: 'host' means 2 of them: "),
        (&["0000"], 65, "lh-history: '0000' means 3 of them: "),
        (&["coffee"], 65, "lh-history: no decision, failure or memory here is 'coffee'"),
        (&[], 64, "lh-history: no item: give the head of its id"),
    ] {
        let (code, said) = project.run("lh-history", words, "");
        assert!(code == Some(status) && said.starts_with(wanted), "{said}");
    }
}
