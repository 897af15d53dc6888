//! The bodies of the fuzz targets on stable: every seed, every crasher that was kept, and mutations of
//! them, which are the same in every run.

use crate::bodies::BODIES;
use crate::forms::Dice;
use std::collections::BTreeSet;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Mutations of a target's seeds.
const MUTATIONS: usize = 3000;
/// Bytes that mean something somewhere.
const ODD: &[u8] = b"\n\r\t \0\x01\x1b\"\\'{}[]:,;.=-/\xff\xc3\x80";

fn fuzz(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(below)
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

/// One of the seeds, changed in a place or a few.
fn mutated(dice: &mut Dice, seeds: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = seeds[dice.roll(seeds.len())].1.clone();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len() + 1);
        let end = at + dice.roll((bytes.len() - at).min(32) + 1);
        match dice.roll(7) {
            0 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << dice.roll(8)),
            1 => bytes.insert(at, ODD[dice.roll(ODD.len())]),
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            4 => bytes.truncate(at),
            5 => {
                let line = |byte: &u8| *byte == b'\n';
                let other = &seeds[dice.roll(seeds.len())].1;
                let lines: Vec<&[u8]> = other.split_inclusive(line).collect();
                let line = lines.get(dice.roll(lines.len() + 1)).copied().unwrap_or_default();
                drop(bytes.splice(at..at, line.iter().copied()));
            }
            _ => {
                let other = &seeds[dice.roll(seeds.len())].1;
                let from = dice.roll(other.len() + 1);
                let to = from + dice.roll((other.len() - from).min(64) + 1);
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
        }
    }
    bytes
}

fn run(name: &str) {
    let (_, body) = BODIES.iter().find(|(body, _)| *body == name).unwrap();
    let mut seeds = files(&fuzz("seeds").join(name));
    seeds.extend(files(&fuzz("crashers").join(name)));
    if seeds.is_empty() {
        // A package has none.
        let _ = writeln!(std::io::stderr(), "skipped: no seeds of {name}");
        return;
    }
    let mut dice = Dice(0x5eed_f00d);
    let mutations = (0..MUTATIONS).map(|number| (format!("mutation {number}"), mutated(&mut dice, &seeds)));
    for (what, bytes) in seeds.clone().into_iter().chain(mutations) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&bytes))) {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crasher-{name}"));
            std::fs::write(&kept, &bytes).unwrap();
            let _ = writeln!(std::io::stderr(), "{name}: {what}: kept as {}", kept.display());
            resume_unwind(panic);
        }
    }
}

/// A test for each target, so that they run side by side.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

targets!(transcript grown answer front task config redact extract);

#[test]
fn every_body_has_its_target_its_seeds_and_its_test() {
    let bodies: BTreeSet<String> = BODIES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let tested: BTreeSet<String> = TESTED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(tested, bodies);
    if !fuzz("").exists() {
        return;
    }
    let manifest = std::fs::read_to_string(fuzz("Cargo.toml")).unwrap();
    for name in &bodies {
        let target = std::fs::read_to_string(fuzz("targets").join(format!("{name}.rs"))).unwrap();
        assert!(target.contains(&format!("bodies::{name}(")), "{name}");
        assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name}");
        assert!(!files(&fuzz("seeds").join(name)).is_empty() && fuzz("dict").join(name).exists(), "{name}");
    }
    assert_eq!(files(&fuzz("targets")).len(), bodies.len());
    for kept in std::fs::read_dir(fuzz("crashers")).into_iter().flatten() {
        let name = kept.unwrap().file_name().into_string().unwrap();
        assert!(bodies.contains(&name), "crashers of {name}, which is not a target");
    }
}
