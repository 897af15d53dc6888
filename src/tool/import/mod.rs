//! Another program's memory, read as `distilled` records. Its author is not known: each item is said by `import`, has no
//! quote, and is told as imported. What the items are made of goes through the doors that a session's words go through: no
//! words of the client's or of ours, nothing private, secrets masked, and all of that before anything is cut.

mod formats;

use super::counted::Counted;
use super::persist;
use crate::agent::{injected, project, wrappers};
use crate::base::config::Config;
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::word_enum::words;
use crate::base::{clock, env, file, log, text};
use crate::record::item::{self, Item, ItemKind};
use crate::record::session::Session;
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use jiff::Timestamp;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name under which it says what it counted.
const TOOL: &str = "lh-import";
/// So many items are taken, the newest; so many are in a record.
const ITEMS: usize = 1000;
const AT_ONCE: usize = 50;
/// Characters of an item's one sentence, and bytes of its other texts.
const SENTENCE_CHARS: usize = 400;
const TEXT_BYTES: usize = 8 << 10;
/// So many files are read of a folder.
const FILES: usize = 2000;
/// What a mask begins with.
const MASK: &str = "[redacted:";

words! {
    /// The program that kept the memory.
    Program {
        /// The JSON that its script export-memories writes.
        ClaudeMem = "claude-mem",
        /// Notes with observations and relations.
        BasicMemory = "basic-memory",
        /// The folder of memories that Codex makes of its sessions.
        Codex = "codex",
        /// Rules, and memories as files.
        Cursor = "cursor",
        /// Any `AGENTS.md`.
        AgentsMd = "agents-md",
    }
}

/// An import.
pub struct Import {
    program: Program,
    session: Session,
    redactor: Redactor,
    items: Vec<(Timestamp, Item)>,
    counted: Counted,
}

impl Import {
    /// Reads a file or a folder of a program's for the project of the current folder.
    pub fn read(program: Program, path: &Path, config: &Config) -> Result<Self, Failure> {
        let redactor = Redactor::new(&config.privacy)?;
        let transcript = path.canonicalize().map_err(|error| Failure::io(path.display(), &error))?;
        // From the home on, so that another machine of the user's calls it the same; in decimal digits, for a name with a
        // hash in it looks like a secret.
        let home = file::real_path(&env::home()?);
        let below = transcript.strip_prefix(home).unwrap_or(&transcript);
        let mark = item::hash(below.as_os_str().as_encoded_bytes());
        let mark = u32::from_str_radix(&mark[..8], 16).map_err(|error| Failure::data(format!("{mark}: {error}")))?;
        let session_id = format!("import-{}-{mark}", program.word());
        let here = project::here(config)?;
        let session = Session { session_id, transcript, found_by: "operand".to_owned(), branch: None, ..here };
        let session = Session { project: redactor.shown(&session.project).into_owned(), ..session };
        let mut import = Self { program, session, redactor, items: Vec::new(), counted: Counted::default() };
        for path in import.files()? {
            let of_json = program == Program::ClaudeMem;
            let read = if of_json { formats::claude_mem(&mut import, &path) } else { import.page(&path) };
            // One file of a folder that cannot be read does not keep the others out.
            if let Err(failure) = read {
                if path == import.session.transcript {
                    return Err(failure);
                }
                log::say(TOOL, &failure.message);
                import.counted.leave("files that cannot be read", 1);
            }
        }
        import.keep_newest();
        import.items.iter().for_each(|(_, item)| import.counted.came(item.kind.list()));
        Ok(import)
    }

    /// The records: of each day one, or more where it has many items.
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for day in self.items.chunk_by(|(one, _), (other, _)| clock::local_day(*one) == clock::local_day(*other)) {
            for part in day.chunks(AT_ONCE) {
                let mut record = self.session.record("distilled");
                record.set_some("ts", part.last().map(|(time, _)| clock::local(*time)).as_ref());
                record.set("engine", Voice::Import.word());
                for kind in ItemKind::ALL {
                    let of_kind = part.iter().filter(|(_, item)| item.kind == kind);
                    let list: Vec<Record> = of_kind.map(|(_, item)| item.record()).collect();
                    record.set_some(kind.list(), Some(&list).filter(|list| !list.is_empty()));
                }
                records.push(record);
            }
        }
        records
    }

    /// A record on its way out.
    pub fn masked(&self, record: &Record) -> Masked {
        self.redactor.masked_record(record)
    }

    /// Writes a record's items into the memory, and gives the receipts.
    pub fn persist(&mut self, record: &Record, config: &Config) -> Result<Masked, Failure> {
        let done = persist::persist(record, config)?;
        let mut said = Masked::default();
        for receipt in done.text().lines().filter_map(|line| Record::parse(line).ok()) {
            if receipt.kind() == "written" {
                let is_new = receipt.text("result").as_deref() == Some("written");
                self.counted.leave("known already", usize::from(!is_new));
                said.push(&self.masked(&receipt));
            }
        }
        Ok(said)
    }

    /// Says what came and what was left out; status 1 if nothing came.
    pub fn end(&self) -> Exit {
        self.counted.say(TOOL, &format!("from {}", self.program.word()));
        if self.items.is_empty() { Exit::No } else { Exit::Done }
    }

    /// The files that have memories, in the order of their names. No link in a folder is followed: it can lead out of it.
    fn files(&mut self) -> Result<Vec<PathBuf>, Failure> {
        let top = self.session.transcript.clone();
        if !top.is_dir() {
            return Ok(vec![top]);
        }
        let (mut found, mut folders) = (Vec::new(), vec![top.clone()]);
        while let Some(folder) = folders.pop() {
            let names = match file::names(&folder) {
                Err(failure) if folder != top => {
                    log::say(TOOL, &failure.message);
                    self.counted.leave("folders that cannot be read", 1);
                    continue;
                }
                names => names?,
            };
            for path in names.into_iter().map(|name| folder.join(name)) {
                match path.symlink_metadata() {
                    Ok(data) if data.is_dir() && path.ends_with(".git") => {}
                    Ok(data) if data.is_dir() => folders.push(path),
                    Ok(data) if data.is_symlink() => self.counted.leave("links that are not followed", 1),
                    Ok(data) if data.is_file() && self.is_memory(&path) => found.push(path),
                    _ => self.counted.leave("other files", 1),
                }
            }
        }
        found.sort();
        self.counted.leave(&format!("files behind the first {FILES}"), found.drain(FILES.min(found.len())..).count());
        if found.is_empty() && self.program == Program::ClaudeMem {
            return Err(Failure::data(format!("'{}' has no JSON: {}", top.display(), formats::HOW)));
        }
        Ok(found)
    }

    /// Whether a file has memories of the program, by its name.
    fn is_memory(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        let has_ending = |ending: &str| path.extension() == Some(OsStr::new(ending));
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        match self.program {
            Program::ClaudeMem => has_ending("json"),
            Program::BasicMemory => has_ending("md"),
            // What these two are made of is beside them.
            Program::Codex => name == "MEMORY.md" || name == "memory_summary.md",
            Program::Cursor => {
                has_ending("mdc")
                    || name == ".cursorrules"
                    || has_ending("md") && (folder == "memories" || folder == "rules")
            }
            Program::AgentsMd => name == "AGENTS.md",
        }
    }

    /// Reads a page of markdown.
    fn page(&mut self, path: &Path) -> Result<(), Failure> {
        let raw = file::read_head(path, file::PAGE_BYTES)?;
        if raw.contains('\0') {
            return Err(Failure::data(format!("{}: not a page: it has bytes that no text has", path.display())));
        }
        let is_longer = path.metadata().is_ok_and(|data| data.len() > file::PAGE_BYTES);
        self.counted.leave("files of which only the first MiB is read", usize::from(is_longer));
        // As a whole: a key or a private part goes over lines.
        let said = self.clean(&raw);
        // Below its folder; of a file that was named the name.
        let below = path.strip_prefix(&self.session.transcript).ok().filter(|below| !below.as_os_str().is_empty());
        let name = below.unwrap_or_else(|| Path::new(path.file_name().unwrap_or_default())).with_extension("");
        let time = file::modified(path).unwrap_or_else(clock::now);
        let name = self.redactor.shown(&name.to_string_lossy()).into_owned();
        formats::markdown(self, &name, &said, time);
        Ok(())
    }

    /// What may be told of a text: nothing that we or the client put before a model, nothing private, no secret, nothing
    /// that a terminal would obey.
    fn clean(&mut self, raw: &str) -> String {
        let own = injected::without(raw);
        self.counted.leave("texts with words of lh's own, without these", usize::from(own.len() < raw.len()));
        let typed = wrappers::typed(&own);
        self.counted.leave("texts of the client's own", usize::from(typed.is_none() && !own.trim().is_empty()));
        let shown = self.redactor.shown(typed.as_deref().unwrap_or_default()).into_owned();
        let masks = |text: &str| text.matches(MASK).count();
        self.counted.leave("masked secrets", masks(&shown).saturating_sub(masks(raw)));
        text::harmless(&shown).trim().to_owned()
    }

    /// Takes an item; its texts may be told.
    fn add(&mut self, mut item: Item, time: Timestamp) {
        if !item.sentence().contains(char::is_alphanumeric) {
            return self.counted.leave("items without words", 1);
        }
        // A memory's description is only the beginning of its text.
        item.description = text::cut(&text::one_line(&item.description), SENTENCE_CHARS).into_owned();
        let mut is_cut = item.summary.chars().count() > SENTENCE_CHARS;
        item.summary = text::cut(&text::one_line(&item.summary), SENTENCE_CHARS).into_owned();
        item.for_each_text(|text| {
            is_cut |= text.len() > TEXT_BYTES;
            text.truncate(text::first_bytes(text, TEXT_BYTES).len());
        });
        self.counted.leave("ends of items that are too long", usize::from(is_cut));
        (item.grounded, item.said_by) = (true, Voice::Import.word().to_owned());
        item.id = item::id(item.kind, &self.session.project, &item.summary);
        // A clock that is ahead would make it the newest for long.
        self.items.push((time.min(clock::now()), item));
        if self.items.len() > 4 * ITEMS {
            self.keep_newest();
        }
    }

    /// Leaves the oldest items out where there are too many.
    fn keep_newest(&mut self) {
        self.items.sort_by_key(|(time, _)| *time);
        let older = self.items.len().saturating_sub(ITEMS);
        self.items.drain(..older);
        self.counted.leave(&format!("items older than the newest {ITEMS}"), older);
    }

    /// Takes a text as a memory of the project, for the user's wishes are said here; with a name of its own or of its first
    /// words.
    fn add_memory(&mut self, name: &str, text: &str, time: Timestamp) {
        let mut memory = crate::extract::memory(text);
        "project".clone_into(&mut memory.memory_type);
        if !name.is_empty() {
            memory.summary = item::slug(name);
            let says = |line: &&str| !line.starts_with('#') && line.contains(char::is_alphanumeric);
            let first = text.lines().map(str::trim).find(says).unwrap_or_default();
            memory.description = format!("{name}: {}", first.trim_start_matches(['-', '*', ' ']));
        }
        if memory.summary.is_empty() {
            memory.summary = item::slug(text);
        }
        self.add(memory, time);
    }
}
