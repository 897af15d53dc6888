//! The completions of all tools and of the command `lh` for a shell, made of the tables of the tools.

use super::ALL;
use crate::base::cli::{Operands, Opt, Tool};
use crate::base::config::{Scope, settings};
use crate::base::pattern::{Pattern, Reads};
use crate::store::learnings;
use crate::tool::recall::HitKind;
use std::fmt::Write as _;

/// A name that can come behind `lh`, the words that can come behind that, and what it does.
pub type Row = (String, String, String);

/// What is written for a shell: its text, how a word is quoted in it, and what it has of a tool.
type Shell = (&'static str, fn(&str) -> String, fn(&Tool) -> String);

/// Of a record of a list the head of the id, a tab, and what it says; of an item its own id, of a session that one's. The
/// records are ours, so their fields come in this order.
const HEADS: &str = r#"s/.*"what":"\(session\|lost\|episode\)".*"session_id":"\([^"]\{8\}\).*"text":"\([^"]*\).*/\2	\1: \3/p; t; s/.*"what":"\([a-z]*\)".*"id":"\([0-9a-f]\{6\}\)[0-9a-f]*".*"text":"\([^"]*\).*/\2	\1: \3/p"#;
/// The project of such a record.
const PROJECTS: &str = r#"s/.*"project":"\([^"]*\)".*/\1/p"#;
/// The commands of `lh`, and the tools, that take ids of these kinds; of all kinds where none is named.
const TAKE_IDS: [(&str, &str); 6] = [
    ("show", ""),
    ("edit", "decision failure memory learning open"),
    ("rm", "session learning"),
    ("done", "open"),
    ("forget", "decision failure learning memory"),
    ("history", "decision failure memory"),
];

/// The completions for `bash`, `zsh` or `fish`; none for another shell. `lh` is what the command is called, `rows` are
/// its own commands, the tools and the scripts. A line of a shell's text that begins with the name of a list is there for
/// each entry of it.
pub fn of(shell: &str, lh: &str, rows: &[Row]) -> Option<String> {
    let (form, quoted, of_tool): Shell = match shell {
        "bash" => (include_str!("completions.bash"), str::to_owned, of_bash),
        "zsh" => (include_str!("completions.zsh"), zsh_quoted, of_zsh),
        "fish" => (include_str!("completions.fish"), fish_quoted, of_fish),
        _ => return None,
    };
    let row = |(name, words, about): &Row| [name.clone(), words.clone(), quoted(about)];
    let words_of = |name: &str| rows.iter().find(|(row, ..)| row == name).map_or("", |(_, words, _)| words);
    let own = TAKE_IDS.iter().filter(|(name, _)| !ALL.iter().any(|tool| tool.name == format!("lh-{name}")));
    let choices = settings::keys().filter(|(_, words)| !words.is_empty());
    let lists: [(&str, Vec<[String; 3]>); 4] = [
        ("@ROWS@", rows.iter().map(row).collect()),
        ("@WORDS@", rows.iter().filter(|(_, words, _)| !words.is_empty()).map(row).collect()),
        ("@IDS@", own.map(|(name, kinds)| [*name, words_of(name), kinds].map(str::to_owned)).collect()),
        ("@VALUES@", choices.map(|(key, words)| [key, words.join(" "), String::new()]).collect()),
    ];
    let mut text = String::new();
    for line in form.lines() {
        let list = lists.iter().find_map(|(mark, list)| Some((line.strip_prefix(mark)?, list)));
        match list {
            Some((form, list)) => list.iter().for_each(|[name, words, more]| {
                let _ = writeln!(text, "{}", form.replace("@1@", name).replace("@2@", words).replace("@3@", more));
            }),
            None => _ = writeln!(text, "{line}"),
        }
    }
    let all = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>().join(" ");
    let tools: Vec<String> = ALL.iter().map(|tool| of_tool(tool)).collect();
    let text = text.replace("@TOOLS@", &tools.join("\n")).replace("@HEADS@", HEADS).replace("@PROJECTS@", PROJECTS);
    let text = text.replace("@ALL@", &all(&mut rows.iter().map(|(name, ..)| name.clone())));
    let text = text.replace("@KEYS@", &all(&mut settings::keys().map(|(key, _)| key)));
    let names = [lh].into_iter().chain(ALL.iter().map(|tool| tool.name)).map(str::to_owned);
    Some(text.replace("@NAMES@", &all(&mut names.into_iter())).replace("@LH@", lh))
}

/// `-f` and `--force`.
fn forms(opt: &Opt) -> Vec<String> {
    let letter = Some(opt.short).filter(|letter| *letter != ' ').map(|letter| format!("-{letter}"));
    letter.into_iter().chain([format!("--{}", opt.long)]).collect()
}

/// What the value of an option can be: `file`, `directory`, `none`, or `words` with the words of a help text such as
/// "auto, claude or extract".
fn kind(tool: &Tool, opt: &Opt) -> String {
    match (tool.name, opt.long) {
        ("lh-recall", "type") => return format!("words {}", HitKind::ALL.map(HitKind::word).join(" ")),
        ("lh-recall", "scope") => return format!("words {}", learnings::SCOPES.join(" ")),
        ("lh-recall", "project") => return "project".to_owned(),
        ("lh-setup", "scope") => return format!("words {}", Scope::ALL.map(Scope::word).join(" ")),
        _ => {}
    }
    let words = || {
        let help = Pattern::new(r" \([^)]*\)", Reads::Text).split(opt.help).concat();
        let list = Pattern::new("([a-z][a-z-]*, )*[a-z][a-z-]* or [a-z][a-z-]*", Reads::Text);
        let words = help.get(list.find(help.as_bytes())?.range())?;
        Some(format!("words {}", words.replace(" or ", " ").replace(',', "")))
    };
    match opt.value {
        "FILE" => Some("file".to_owned()),
        "FOLDER" => Some("directory".to_owned()),
        "NAME" => words(),
        _ => None,
    }
    .unwrap_or_else(|| "none".to_owned())
}

/// What the operands of a tool can be.
fn operands(tool: &Tool) -> String {
    let own = |name: &str| tool.name.strip_prefix("lh-") == Some(name);
    match tool.operands {
        Operands::Command(_) => "command".to_owned(),
        _ if TAKE_IDS.iter().any(|(name, _)| own(name)) => {
            let kinds = TAKE_IDS.iter().find(|(name, _)| own(name)).map_or("", |(_, kinds)| kinds);
            format!("ids {kinds}")
        }
        Operands::Any(shown) if shown.contains("[transcript") => "file".to_owned(),
        _ => "none".to_owned(),
    }
}

fn of_bash(tool: &Tool) -> String {
    let options = tool.all_options().flat_map(forms).collect::<Vec<_>>().join(" ");
    let with_value = tool.options.iter().filter(|opt| !opt.value.is_empty());
    let cases = with_value.map(|opt| format!("\t\t{}) kind='{}' ;;\n", forms(opt).join(" | "), kind(tool, opt)));
    let values = cases.collect::<Vec<_>>().concat();
    format!(
        "\t{})\n\t\toptions='{options}' operands='{}'\n\t\tcase $2 in\n{values}\t\tesac\n\t\t;;",
        tool.name,
        operands(tool)
    )
}

fn zsh_quoted(text: &str) -> String {
    let escaped = |c: char| if r"\:[]".contains(c) { format!("\\{c}") } else { c.to_string() };
    text.chars().map(escaped).collect::<String>().replace('\'', r"'\''")
}

fn of_zsh(tool: &Tool) -> String {
    let mut text = format!("\t{})\n\t\t_arguments -s -S \\\n", tool.name);
    for opt in tool.all_options() {
        let action = match kind(tool, opt).as_str() {
            _ if opt.value.is_empty() => String::new(),
            "project" => format!(":{}:_lh_projects", opt.value),
            "file" => format!(":{}:_files", opt.value),
            "directory" => format!(":{}:_files -/", opt.value),
            kind => format!(":{}:({})", opt.value, kind.strip_prefix("words ").unwrap_or(" ")),
        };
        let (plus, equals) = if action.is_empty() { ("", "") } else { ("+", "=") };
        let names = match opt.short {
            ' ' => format!("'--{}{equals}", opt.long),
            short => format!("'(-{short} --{0})'{{-{short}{plus},--{0}{equals}}}'", opt.long),
        };
        let _ = writeln!(text, "\t\t\t{names}[{}]{action}' \\", zsh_quoted(opt.help));
    }
    let of_ids = |kinds: &str| format!("'*:id:_lh_ids{kinds}'");
    let operands = operands(tool);
    let rest = match operands.as_str() {
        "file" => "'*:file:_files'".to_owned(),
        "command" => "'(-)1:command:_command_names -e' '*::arguments:_normal'".to_owned(),
        operands => operands.strip_prefix("ids").map_or_else(|| "'*: : '".to_owned(), of_ids),
    };
    text + &format!("\t\t\t{rest}\n\t\t;;")
}

fn fish_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'"))
}

fn of_fish(tool: &Tool) -> String {
    let option = |opt: &Opt| {
        let letter = if opt.short == ' ' { String::new() } else { format!(" -s {}", opt.short) };
        let action = match kind(tool, opt).as_str() {
            _ if opt.value.is_empty() => String::new(),
            "project" => " -x -a '(__lh_projects)'".to_owned(),
            "file" => " -r -F".to_owned(),
            "directory" => " -x -a '(__fish_complete_directories)'".to_owned(),
            kind => format!(" -x -a '{}'", kind.strip_prefix("words ").unwrap_or("")),
        };
        format!("{letter} -l {}{action} -d {}", opt.long, fish_quoted(opt.help))
    };
    let of_ids = |kinds: &str| format!(" -f -a '(__lh_ids{kinds})'");
    let operands = operands(tool);
    let rest = match operands.as_str() {
        "file" => " -F".to_owned(),
        "command" => " -x -a '(__fish_complete_subcommand)'".to_owned(),
        operands => operands.strip_prefix("ids").map_or_else(|| " -f".to_owned(), of_ids),
    };
    let is_tool = format!("-c @LH@ -n '__lh_is {}'", tool.name.strip_prefix("lh-").unwrap_or(tool.name));
    let lines = [rest].into_iter().chain(tool.all_options().map(option));
    lines
        .map(|line| format!("complete -c {}{line}\ncomplete {is_tool}{line}", tool.name))
        .collect::<Vec<_>>()
        .join("\n")
}
