//! What a `git commit` says.

/// The first line of the message of a `git commit`: in quotation marks, or in a here-document.
pub fn commit_title(command: &str) -> Option<String> {
    let of_git = |rest: &str| {
        let (options, _) = rest.split_once("commit")?;
        let message = rest.get(options.len()..)?;
        if options.contains(['|', ';', '&', '\n']) {
            return None;
        }
        let quote = message.find(['"', '\'']);
        let quoted = quote.and_then(|at| Some((message.get(at..)?.chars().next()?, message.get(at + 1..)?)));
        let document = message.find("<<").filter(|at| {
            quote.is_none_or(|quote| *at < quote) || quoted.is_some_and(|(_, text)| text.starts_with("$(cat <<"))
        });
        let title = match (document, quoted) {
            (Some(at), _) => message.get(at..)?.lines().skip(1).find(|line| !line.trim().is_empty())?,
            (None, Some((mark, text))) => text.split(mark).next()?.lines().next()?,
            (None, None) => return None,
        };
        let title = title.trim();
        (!title.is_empty()).then(|| title.to_owned())
    };
    command.split("git ").skip(1).find_map(of_git)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_known_by_the_first_line_of_its_message() {
        for (command, title) in [
            ("git commit -m 'one'", Some("one")),
            ("cd x && git -C y commit -qam \"two: it's\n\nbody\" && git push", Some("two: it's")),
            ("git commit -m \"$(cat <<'EOF'\nthree\n\nwhy\nEOF\n)\"", Some("three")),
            ("git commit -F - <<EOF\n\n  four\nEOF", Some("four")),
            ("git commit -m 'five' && cat <<EOF\nno\nEOF", Some("five")),
            ("git add . && git commit --message=\"six\"", Some("six")),
            ("git log | grep 'commit'", None),
            ("git commit --amend --no-edit", None),
            ("echo commit 'x'", None),
        ] {
            assert_eq!(commit_title(command).as_deref(), title, "{command}");
        }
    }
}
