//! lh-weekly once a week: an agent of launchd's (macOS) or a timer of systemd's where the user has one, else a line of the
//! crontab that ends in `# lh-weekly`. The other lines keep their bytes.

use super::{Setup, command, say};
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
/// What is written, with the places of the script and of variables.
const TIMER_TEXT: &str = include_str!("lh-weekly.timer");
const SERVICE_TEXT: &str = include_str!("lh-weekly.service");
/// Monday at noon, too; a machine that sleeps then runs it when it wakes.
const AGENT_TEXT: &str = include_str!("lh-weekly.plist");

/// Whether lh-weekly runs by itself already.
pub fn is_there() -> Result<bool, Failure> {
    Ok(units()?.join(TIMER).exists()
        || env::home()?.join(AGENT).exists()
        || crontab().is_ok_and(|lines| without_ours(&lines) != lines))
}

/// Lets lh-weekly run once a week; status 69 when nothing here can.
pub fn install(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    if env::program("launchctl").is_some() {
        install_agent(setup, script)?;
    } else if systemctl(&["show-environment"]).is_ok() {
        install_units(setup, script)?;
    } else if env::program("crontab").is_some() {
        return put_line(setup, Some(script));
    } else {
        let message = "no timer: 'systemctl --user' does not answer and there is no crontab: install cron, \
                       or run lh-weekly by hand once a week";
        return Err(Failure::new(Exit::Missing, message));
    }
    // It can have run by the crontab before.
    put_line(setup, None)
}

/// Takes the timer out, and the line of the crontab.
pub fn remove(setup: &mut Setup) -> Result<(), Failure> {
    let (agent, folder, is_dry) = (env::home()?.join(AGENT), units()?, setup.wish.dry_run);
    if agent.exists() {
        if !is_dry {
            // One that is not loaded is not there to be ended.
            let _ = launchctl(&["bootout", &format!("{}/{LABEL}", domain())]);
        }
        setup.put(&agent, None)?;
    }
    let names = [SERVICE, TIMER].map(|name| folder.join(name));
    if names.iter().any(|path| path.exists()) {
        if !is_dry {
            // What cannot be stopped is gone with its files.
            let _ = systemctl(&["disable", "--now", TIMER]);
        }
        for path in &names {
            setup.put(path, None)?;
        }
        if !is_dry {
            file::remove_path(&folder.join("timers.target.wants").join(TIMER))?;
            let _ = systemctl(&["daemon-reload"]);
        }
    }
    put_line(setup, None)
}

fn install_agent(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    let plain = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let variables = variables(|name, value| format!("<key>{name}</key><string>{}</string>\n", plain(value)));
    let text = AGENT_TEXT.replace("@VARIABLES@", &variables).replace("@SCRIPT@", &plain(script));
    let path = env::home()?.join(AGENT);
    let (service, is_new) = (format!("{}/{LABEL}", domain()), setup.put(&path, Some(&text))?);
    if !setup.wish.dry_run && (is_new || launchctl(&["print", &service]).is_err()) {
        // One that is loaded goes on with what its file said before.
        let _ = launchctl(&["bootout", &service]);
        if let Err(failure) = launchctl(&["bootstrap", &domain(), &path.to_string_lossy()]) {
            // What is not loaded would look as if it ran.
            setup.put(&path, None)?;
            return Err(failure);
        }
        say(&format!("{AGENT}: runs lh-weekly once a week"));
    }
    Ok(())
}

/// Where launchd keeps the agents of a user that is logged in.
fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

fn launchctl(arguments: &[&str]) -> Result<(), Failure> {
    run("launchctl", arguments, |_| false).map(drop)
}

fn install_units(setup: &mut Setup, script: &str) -> Result<(), Failure> {
    let quoted = |text: &str| text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%");
    // A user's manager starts with next to nothing in its environment.
    let variables = variables(|name, value| format!("Environment=\"{name}={}\"\n", quoted(value)));
    let script = quoted(script).replace('$', "$$");
    let text = SERVICE_TEXT.replace("@VARIABLES@", &variables).replace("@SCRIPT@", &script);
    let folder = units()?;
    let service = setup.put(&folder.join(SERVICE), Some(&text))?;
    let timer = setup.put(&folder.join(TIMER), Some(TIMER_TEXT))?;
    if !setup.wish.dry_run && (service || timer || systemctl(&["is-enabled", TIMER]).is_err()) {
        systemctl(&["daemon-reload"])?;
        systemctl(&["enable", "--now", TIMER])?;
        say(&format!("{TIMER}: runs lh-weekly once a week"));
    }
    Ok(())
}

fn units() -> Result<PathBuf, Failure> {
    Ok(env::config_folder()?.join("systemd/user"))
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

/// Makes our line of the crontab that of a script, or takes it out; without a crontab there is nothing to take out.
fn put_line(setup: &mut Setup, script: Option<&str>) -> Result<(), Failure> {
    let Some(program) = env::program("crontab") else { return Ok(()) };
    let old = crontab()?;
    let mut new = without_ours(&old);
    if let Some(script) = script {
        if !new.is_empty() && !new.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend(line(script).into_bytes());
    }
    if old == new {
        return Ok(());
    }
    if setup.wish.dry_run {
        let [old, new] = [old, new].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        setup.show("crontab", Some(&old), Some(&new));
        return Ok(());
    }
    let fail = |error: std::io::Error| Failure::io("crontab", &error);
    let mut child = Command::new(program).arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().map_err(fail)?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&new));
    let status = child.wait().map_err(fail)?;
    written.map_err(fail)?;
    if !status.success() {
        return Err(Failure::new(Exit::Io, "crontab: it did not take the new lines; the old ones stay"));
    }
    say(if script.is_some() { "crontab: lh-weekly put in" } else { "crontab: lh-weekly taken out" });
    Ok(())
}

fn without_ours(lines: &[u8]) -> Vec<u8> {
    let others = lines.split_inclusive(|byte| *byte == b'\n');
    others.filter(|line| !line.trim_ascii_end().ends_with(MARK.as_bytes())).collect::<Vec<_>>().concat()
}
