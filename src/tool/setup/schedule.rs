//! lh-weekly once a week: an agent of launchd's (macOS) or a timer of systemd's where the user has one, else a line of the
//! crontab that ends in `# lh-weekly`. The other lines keep their bytes.

use super::{Setup, command};
use crate::base::exit::{Exit, Failure, reason};
use crate::base::{env, file};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const TIMER: &str = "lh-weekly.timer";
const SERVICE: &str = "lh-weekly.service";
/// The file of launchd's agent, below the home, and its label.
const AGENT: &str = "Library/LaunchAgents/lh-weekly.plist";
const LABEL: &str = "lh-weekly";
/// What our line of the crontab ends in.
const MARK: &str = "# lh-weekly";
/// Monday at noon: when machines run.
const WHEN: &str = "37 12 * * 1";
const TIMER_TEXT: &str = "[Unit]
Description=lh: once a week, what was missed

[Timer]
OnCalendar=weekly
Persistent=true
RandomizedDelaySec=1h

[Install]
WantedBy=timers.target
";

/// Whether lh-weekly runs by itself already.
pub fn is_there() -> Result<bool, Failure> {
    Ok(units()?.join(TIMER).exists()
        || env::home()?.join(AGENT).exists()
        || crontab().is_ok_and(|lines| without_ours(&lines) != lines))
}

/// Lets lh-weekly run once a week; status 69 when nothing here can.
pub fn install(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    if env::program("launchctl").is_some() {
        return install_agent(setup, script);
    }
    if systemctl(&["show-environment"]).is_ok() {
        return install_units(setup, script);
    }
    if env::program("crontab").is_none() {
        let message = "no timer: 'systemctl --user' does not answer and there is no crontab: install cron, \
                       or run lh-weekly by hand once a week";
        return Err(Failure::new(Exit::Missing, message));
    }
    let old = crontab()?;
    let mut new = without_ours(&old);
    if !new.is_empty() && !new.ends_with(b"\n") {
        new.push(b'\n');
    }
    new.extend(line(script).into_bytes());
    put_crontab(setup, &old, &new)
}

/// Takes the timer out, and the line of the crontab.
pub fn remove(setup: &mut Setup) -> Result<(), Failure> {
    let agent = env::home()?.join(AGENT);
    if agent.exists() {
        if !setup.wish.dry_run {
            // One that is not loaded is not there to be ended.
            let _ = launchctl(&["bootout", &format!("{}/{LABEL}", domain())]);
        }
        setup.put(&agent, None)?;
    }
    let folder = units()?;
    let names = [SERVICE, TIMER].map(|name| folder.join(name));
    if names.iter().any(|path| path.exists()) {
        if !setup.wish.dry_run {
            // What cannot be stopped is gone with its files.
            let _ = systemctl(&["disable", "--now", TIMER]);
        }
        for path in &names {
            setup.put(path, None)?;
        }
        if !setup.wish.dry_run {
            file::remove_path(&folder.join("timers.target.wants").join(TIMER))?;
            let _ = systemctl(&["daemon-reload"]);
        }
    }
    remove_line(setup)
}

/// Without a crontab there is nothing to take out.
fn remove_line(setup: &mut Setup) -> Result<(), Failure> {
    if env::program("crontab").is_none() {
        return Ok(());
    }
    let old = crontab()?;
    put_crontab(setup, &old, &without_ours(&old))
}

fn install_agent(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    let path = env::home()?.join(AGENT);
    let (service, is_new) = (format!("{}/{LABEL}", domain()), setup.put(&path, Some(&agent_text(script)))?);
    if !setup.wish.dry_run && (is_new || launchctl(&["print", &service]).is_err()) {
        // One that is loaded goes on with what its file said before.
        let _ = launchctl(&["bootout", &service]);
        if let Err(failure) = launchctl(&["bootstrap", &domain(), &path.to_string_lossy()]) {
            // What is not loaded would look as if it ran.
            setup.put(&path, None)?;
            return Err(failure);
        }
        setup.say(&format!("{AGENT}: runs lh-weekly once a week"));
    }
    remove_line(setup)
}

/// Where launchd keeps the agents of a user that is logged in.
fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

/// Monday at noon; a machine that sleeps then runs it when it wakes.
fn agent_text(script: &str) -> String {
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let variables = variables(|name, value| format!("<key>{name}</key><string>{}</string>\n", plain(value)));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\n<key>Label</key><string>{LABEL}</string>\n\
         <key>ProgramArguments</key><array><string>{}</string></array>\n\
         <key>EnvironmentVariables</key><dict>\n{variables}</dict>\n<key>StartCalendarInterval</key>\
         <dict><key>Weekday</key><integer>1</integer><key>Hour</key><integer>12</integer>\
         <key>Minute</key><integer>37</integer></dict>\n</dict></plist>\n",
        plain(script)
    )
}

fn launchctl(arguments: &[&str]) -> Result<(), Failure> {
    run("launchctl", arguments, |_| false).map(drop)
}

fn install_units(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    let folder = units()?;
    let service = setup.put(&folder.join(SERVICE), Some(&service_text(script)))?;
    let timer = setup.put(&folder.join(TIMER), Some(TIMER_TEXT))?;
    if !setup.wish.dry_run && (service || timer || systemctl(&["is-enabled", TIMER]).is_err()) {
        systemctl(&["daemon-reload"])?;
        systemctl(&["enable", "--now", TIMER])?;
        setup.say(&format!("{TIMER}: runs lh-weekly once a week"));
    }
    // It ran by the crontab before.
    remove_line(setup)
}

fn units() -> Result<PathBuf, Failure> {
    Ok(env::config_folder()?.join("systemd/user"))
}

/// A user's manager starts with next to nothing in its environment.
fn service_text(script: &str) -> String {
    let quoted = |text: &str| text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    let variables = variables(|name, value| format!("Environment=\"{name}={}\"\n", quoted(value)));
    format!(
        "[Unit]\nDescription=lh: export and queue what was missed\n\n[Service]\nType=oneshot\n{variables}ExecStart=\"{}\"\n",
        quoted(script).replace('$', "$$"),
    )
}

/// To cron a `%` is the end of the command.
fn line(script: &str) -> String {
    let variables = variables(|name, value| format!("{name}={} ", command::quote(value)));
    let command = format!("{variables}{}", command::quote(script));
    format!("{WHEN} {} {MARK}\n", command.replace('%', r"\%"))
}

/// The variables that a timer needs, each as it is written there.
fn variables(written: impl Fn(&str, &str) -> String) -> String {
    let all = env::for_a_timer().into_iter().filter(|(_, value)| !value.contains(char::is_control));
    all.map(|(name, value)| written(name, &value)).collect()
}

fn systemctl(arguments: &[&str]) -> Result<(), Failure> {
    run("systemctl", &[&["--user"], arguments].concat(), |_| false).map(drop)
}

/// The user's crontab; empty when there is none, and an error when that is not sure.
fn crontab() -> Result<Vec<u8>, Failure> {
    run("crontab", &["-l"], |said| said.to_lowercase().contains("no crontab"))
}

/// What a program prints; it may also fail if it says what is `fine`.
fn run(program: &str, arguments: &[&str], fine: fn(&str) -> bool) -> Result<Vec<u8>, Failure> {
    let fail = |why: &str| {
        let line = format!("{program} {}", arguments.join(" "));
        Failure::new(Exit::Missing, format!("{line}: {why}; run lh-weekly by hand, or see why"))
    };
    let path = env::program(program).ok_or_else(|| fail("no such program"))?;
    let output = Command::new(path).args(arguments).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let output = output.map_err(|error| fail(&reason(&error)))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() || fine(&said) {
        return Ok(output.stdout);
    }
    Err(fail(said.lines().next().unwrap_or("it failed")))
}

fn put_crontab(setup: &mut Setup, old: &[u8], new: &[u8]) -> Result<(), Failure> {
    if old == new {
        return Ok(());
    }
    if setup.wish.dry_run {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        setup.show("crontab", Some(&text(old)), Some(&text(new)));
        return Ok(());
    }
    let fail = |error: std::io::Error| Failure::io("crontab", &error);
    let program = env::program("crontab").unwrap_or_else(|| PathBuf::from("crontab"));
    let mut child = Command::new(program).arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(fail)?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(new));
    let status = child.wait().map_err(fail)?;
    written.map_err(fail)?;
    if !status.success() {
        return Err(Failure::new(Exit::Io, "crontab: it did not take the new lines; the old ones stay"));
    }
    let gone = without_ours(new) == new;
    setup.say(if gone { "crontab: lh-weekly taken out" } else { "crontab: lh-weekly put in" });
    Ok(())
}

fn without_ours(lines: &[u8]) -> Vec<u8> {
    let others = lines.split_inclusive(|byte| *byte == b'\n');
    others.filter(|line| !line.trim_ascii_end().ends_with(MARK.as_bytes())).collect::<Vec<_>>().concat()
}
