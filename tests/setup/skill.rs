//! The skill that tells the agent of lh-recall: where it goes, and that only what we wrote is changed or taken away.

use super::SETTINGS;
use crate::home::Home;
use lh::record::item;
use std::os::unix::fs::symlink;

const SKILL: &str = ".claude/skills/lh-recall/SKILL.md";

/// As another version would have written it.
fn marked(text: &str) -> String {
    format!("{text}\n<!-- as lh-setup wrote it: {} -->\n", item::hash(text.as_bytes()))
}

#[test]
fn the_skill_goes_into_each_home_and_comes_out_again() {
    let home = Home::enabled("[profiles.work]\nconfig_dir = \"~/work\"");
    assert!(!home.sets_up(&[], 0).contains("skill"));
    assert!(!home.path(".claude/skills").exists(), "only for a user who wants it");
    let settings = home.read(SETTINGS);
    let output = home.setup(&["-n", "--skill"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    for place in [".claude", "work"] {
        assert!(
            shown.contains(&format!("+++ {}\n", home.path(place).join("skills/lh-recall/SKILL.md").display())),
            "{shown}"
        );
    }
    assert!(shown.contains("\n+name: lh-recall\n") && !home.path(".claude/skills").exists());
    home.write(".claude/skills/mine/SKILL.md", "mine");
    let said = home.sets_up(&["--skill"], 0);
    assert!(said.contains("lh-recall/SKILL.md: written"), "{said}");
    let text = home.read(SKILL);
    assert!(text.starts_with("---\nname: lh-recall\ndescription: ") && text.contains("lh-recall --also"));
    assert_eq!((home.read("work/skills/lh-recall/SKILL.md"), home.read(SETTINGS)), (text.clone(), settings));
    assert!(!home.sets_up(&["--skill"], 0).contains("SKILL.md"), "once is enough");
    let output = home.setup(&["-nu"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("\n-name: lh-recall\n") && home.read(SKILL) == text);
    home.write("work/skills/lh-recall/more.md", "mine");
    assert!(home.sets_up(&["-u"], 0).contains("lh-recall/SKILL.md: removed"));
    assert_eq!(
        (home.names(".claude/skills"), home.names("work/skills/lh-recall")),
        (vec!["mine".to_owned()], vec!["more.md".to_owned()])
    );
    assert_eq!(home.read(".claude/skills/mine/SKILL.md"), "mine");
}

#[test]
fn an_older_one_is_brought_up_to_date_and_a_persons_own_stays() {
    let home = Home::new();
    home.sets_up(&["--skill"], 0);
    let text = home.read(SKILL);
    home.write(SKILL, &marked("of an older version\n"));
    assert!(home.sets_up(&[], 0).contains("SKILL.md: written"), "without the option, too");
    assert_eq!(home.read(SKILL), text);
    let changed = text.replace("Status 1", "Status one");
    assert_ne!(changed, text);
    for own in
        [&changed, "mine\n", "", &text[..text.len() - 1], &format!("{text}more\n"), &marked("x").replace('x', "y")]
    {
        home.write(SKILL, own);
        assert!(!home.sets_up(&[], 0).contains("SKILL.md"), "{own}");
        let said = home.sets_up(&["--skill"], 0);
        assert!(said.contains("SKILL.md: not as lh-setup wrote it, so it stays: move it away"), "{said}");
        let said = home.sets_up(&["-u"], 0);
        assert!(said.contains("stays: ") && said.contains("SKILL.md, which is not as lh-setup wrote it"), "{said}");
        assert_eq!(home.read(SKILL), own);
    }
    std::fs::write(home.path(SKILL), b"\xff\xfe").unwrap();
    home.sets_up(&["--skill"], 0);
    home.sets_up(&["-u"], 0);
    assert_eq!(std::fs::read(home.path(SKILL)).unwrap(), b"\xff\xfe");
}

#[test]
fn what_is_no_file_and_what_is_linked() {
    // A folder is not replaced, and the rest is done all the same.
    let home = Home::enabled("[profiles.work]\nconfig_dir = \"~/work\"");
    std::fs::create_dir_all(home.path(SKILL).join("x")).unwrap();
    assert!(home.sets_up(&["--skill"], 65).contains("SKILL.md' is a folder"));
    assert!(home.read("work/skills/lh-recall/SKILL.md").contains("lh-recall --also"));
    assert!(home.read(SETTINGS).contains("lh-hook-stop"));
    home.sets_up(&["-u"], 0);
    assert!(home.path(SKILL).join("x").exists() && !home.path("work/skills/lh-recall").exists());
    // Files of a user who keeps them elsewhere: the text goes to where the link leads, and a link is not replaced.
    let home = Home::new();
    std::fs::create_dir_all(home.path("dotfiles/skills")).unwrap();
    std::fs::create_dir_all(home.path(".claude")).unwrap();
    symlink(home.path("dotfiles/skills"), home.path(".claude/skills")).unwrap();
    home.sets_up(&["--skill"], 0);
    assert!(home.read("dotfiles/skills/lh-recall/SKILL.md").contains("lh-recall --also"));
    home.sets_up(&["-u"], 0);
    assert!(home.names("dotfiles/skills").is_empty() && home.path(".claude/skills").is_symlink());
}

#[test]
fn the_slash_command_comes_if_it_is_asked_for_and_goes_again() {
    const COMMAND: &str = ".claude/commands/lh-brief.md";
    let home = Home::new();
    home.sets_up(&["--skill"], 0);
    assert!(!home.path(COMMAND).exists(), "only for a user who wants it");
    assert!(home.sets_up(&["--brief"], 0).contains("lh-brief.md: written"));
    assert!(home.read(COMMAND).contains("Run `lh-brief`"));
    home.write(".claude/commands/mine.md", "mine");
    home.sets_up(&["-u"], 0);
    assert!(!home.path(COMMAND).exists() && home.read(".claude/commands/mine.md") == "mine");
    home.write(COMMAND, "mine");
    assert!(home.sets_up(&["--brief"], 0).contains("not as lh-setup wrote it, so it stays"));
    home.sets_up(&["-u"], 0);
    assert_eq!(home.read(COMMAND), "mine");
}

#[test]
fn nothing_of_ours_stays_behind_but_data() {
    let home = Home::new();
    home.sets_up(&["--skill", "--brief"], 0);
    assert!(home.path(SKILL).exists());
    home.sets_up(&["--uninstall"], 0);
    for gone in [".claude/skills", ".claude/commands", ".local/state/lh/.setup.lock", SETTINGS] {
        assert!(!home.path(gone).exists(), "{gone}");
    }
    assert!(home.path(".claude").is_dir());
}
