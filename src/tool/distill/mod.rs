//! Distilling: a session in, one `distilled` record out. With an output file every step is kept
//! beside it, so that a killed run is resumed and no answer is asked for twice: `.asked` says what
//! was asked, `.answer` is the model's own output, `.verify.*` are the same of the second reading, the file
//! itself appears whole or not at all.

mod correct;
mod ground;
mod parse;
mod piece;
mod prompt;
mod quote;
mod speech;
mod steps;
mod verify;
mod words;

use crate::agent::injected;
use crate::agent::transcript::{self, Conversation, End};
use crate::base::config::{Config, Engine};
use crate::base::exit::{Exit, Failure};
use crate::base::masked::Masked;
use crate::base::record::Record;
use crate::base::stream::Output;
use crate::base::{clock, file, log, text};
use crate::extract::first_source::{Heard, Listener};
use crate::extract::{self, Earlier, fixes, own_words, progress};
use crate::model::{self, NoAnswer};
use crate::record::fix;
use crate::record::item::{self, Evidence, Item, ItemKind, Lists};
use crate::record::message::Message;
use crate::record::outcome::{Ending, Outcome};
use crate::record::said::{self, OwnWords};
use crate::record::session::Session;
use crate::record::speaker::Voice;
use crate::redact::Redactor;
use crate::store::journal::{self, Entry};
use crate::store::{Memory, handoff, learnings, memories};
use correct::Corrigible;
use ground::Ground;
use jiff::Timestamp;
use piece::Piece;
use prompt::EarlierItems;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use steps::{Request, Steps};

/// How many known items of a kind the model is shown; and how many learnings, and items of this very session.
const KNOWN: usize = 10;
const MANY: usize = 50;
/// Names that a decision and what was said before it have in common when they are about the same.
const SAME_NAMES: usize = 2;
/// What an answer must have.
const LISTS: &str = "decisions, failures, learnings, memories or handoff";
/// Seconds until a model that is not there is looked for again.
const MISSING_SECONDS: i64 = 3600;

/// What came of a session.
pub enum Distilled {
    /// The record, as it is printed.
    Record(Masked),
    /// The record is in the output file.
    Stored,
    /// No model may be called now: the `outcome` record that says until when.
    Waiting(Record),
}

/// A session, what was said in it, and what is known already.
struct Case {
    record: Record,
    redactor: Rc<Redactor>,
    session: Session,
    /// The earlier of the task's time and the transcript's last.
    ts: Timestamp,
    conversation: Conversation,
    /// It in pieces, as the model is shown it and quotes are looked up in it.
    pieces: Vec<Piece>,
    /// The messages with only what their speakers say.
    own: Vec<Message>,
    /// What tools and pasted texts said before the agent did.
    heard: Heard,
    known: EarlierItems,
    /// Whether its memories are kept.
    keeps_memories: bool,
    /// Where the session stood, as progress.md has it.
    points: Vec<String>,
}

/// The prompt for a session, as the model would read it.
pub fn prompt_of(record: &Record, config: &Config) -> Result<Masked, Failure> {
    Ok(Case::open(record, None, config)?.prompt(config).0)
}

/// A model's raw answer as a `distilled` record whose quotes were not looked up; 75 when it holds no
/// answer.
pub fn parse_answer(raw: &str, config: &Config) -> Result<Masked, Failure> {
    let unreadable = || Failure::later(format!("the model's answer holds no JSON object with {LISTS}"));
    let (mut lists, _) = parse::answer(raw).ok_or_else(unreadable)?;
    let redactor = Redactor::new(&config.privacy)?;
    let mut record = Record::new("distilled");
    lists.items.iter_mut().for_each(|item| with_id(item, "", &redactor));
    put_lists(&mut record, &lists);
    Ok(redactor.masked_record(&record))
}

/// Distils one session. With `output` the record is written there, synced, and nothing is done when
/// it is there already.
pub fn distill(record: &Record, wanted: Engine, output: Option<&Path>, config: &Config) -> Result<Distilled, Failure> {
    let session = Session::from_record(record)?;
    let steps = Steps::at(output, session.home()?)?;
    if steps.is_whole(&session.session_id) {
        return Ok(Distilled::Stored);
    }
    (Distillation { steps: &steps, wanted, config }).distilled(record, &session).or_else(|none| match none {
        NoAnswer::Failed(failure) => Err(failure),
        NoAnswer::Wait(until, why) => {
            let (ending, reason) = (Some(Ending::Waiting), Some(why));
            let outcome = Outcome { ending, reason, not_before: Some(until), ..Outcome::default() };
            Ok(Distilled::Waiting(outcome.record()))
        }
    })
}

/// What was said in a transcript, or in its first `limit` bytes, as it may be shown.
fn conversation(session: &Session, limit: Option<u64>, redactor: &Redactor) -> Result<Conversation, Failure> {
    redactor.begin();
    // Before anything is cut, for half a secret looks like none.
    let masked = |said: &str| redactor.shown(&injected::without(said)).into_owned();
    let mut conversation = transcript::read_window(&session.transcript, limit, &masked)?;
    if conversation.totals.is_unreadable() {
        let what = "none of its lines is a JSON object: expected a transcript: unpack it if it is packed";
        return Err(Failure::data(format!("{}: {what}", session.transcript.display())));
    }
    Message::tell_all(&conversation.messages, redactor);
    redactor.settled(|| conversation.messages.iter_mut().for_each(|message| message.show(redactor)));
    let End { recap, pull_request, .. } = &mut conversation.end;
    let shown_whole = [&mut conversation.branch, recap, pull_request];
    shown_whole.into_iter().flatten().for_each(|text| redactor.show(text));
    Ok(conversation)
}

/// One distillation: where its steps are, and by what it is made.
struct Distillation<'a> {
    steps: &'a Steps,
    wanted: Engine,
    config: &'a Config,
}

impl Distillation<'_> {
    fn distilled(&self, record: &Record, session: &Session) -> Result<Distilled, NoAnswer> {
        let Self { steps, config, .. } = self;
        if let Some((asked, answer)) = steps.left(session, parse::answer)? {
            // What a killed run left: the transcript is read as far as it was then.
            let case = Case::open(record, Some(asked.size_bytes), config)?;
            if case.conversation.hash == asked.conversation_hash {
                return case.finish(answer, &asked, self);
            }
            steps.forget();
        }
        // A drive that is away comes back: that costs no attempt, and no call with an answer that cannot be kept.
        Memory::of(session, config).map_err(|failure| self.later(failure, &[Exit::Io]))?;
        let engine = self.engine()?;
        let case = Case::open(record, None, config)?;
        if engine == Engine::Extract {
            return Ok(steps.store(&case.extracted(), &case.redactor)?);
        }
        let (prompt, whole_handoff) = case.prompt(config);
        // Of a handoff that was not shown whole nothing is settled: it is united with the new one.
        let handoff_base = if whole_handoff { &case.known.handoff_base } else { handoff::IN_PART };
        let asked = Request {
            at: clock::now().to_string(),
            engine,
            size_bytes: case.conversation.size_bytes,
            conversation_hash: case.conversation.hash.clone(),
            handoff_base: handoff_base.to_owned(),
            ended: false,
        };
        let answer = steps.put(&case, &config.compound_loop, &asked, &prompt, parse::answer)?;
        case.finish(answer, &asked, self)
    }

    /// What is asked. A task waits for its model to be installed or named; by hand the status says it.
    fn engine(&self) -> Result<Engine, NoAnswer> {
        let engine = model::resolve(self.wanted, &self.config.compound_loop);
        engine.map_err(|failure| self.later(failure, &[Exit::Missing, Exit::Config]))
    }

    /// A failure of one of these kinds may pass: where the steps are kept, it is a reason to wait.
    fn later(&self, failure: Failure, passing: &[Exit]) -> NoAnswer {
        if passing.contains(&failure.exit) && self.steps.output.is_some() {
            return NoAnswer::Wait(clock::after(clock::now(), MISSING_SECONDS), failure.message);
        }
        NoAnswer::Failed(failure)
    }
}

impl Case {
    /// Reads the transcript (its first `limit` bytes) and the project's memory.
    fn open(record: &Record, limit: Option<u64>, config: &Config) -> Result<Self, Failure> {
        let redactor = Redactor::shared(&config.privacy)?;
        let session = Session::from_record(record)?;
        let mut conversation = conversation(&session, limit, &redactor)?;
        let queued = record.text("queued_at").and_then(|time| clock::parse(&time)).unwrap_or_else(clock::now);
        let last = conversation.last_time.as_ref().and_then(|time| clock::parse(time)).unwrap_or(queued);
        let ts = queued.min(last);
        let mut known = known(&session, ts, config)?;
        known.for_each_text(|text| redactor.show(text));
        let keeps_memories = keeps_memories(&session, &conversation, config);
        let session = shown(session, &redactor);
        let mut listener = Listener::new(&conversation.messages);
        conversation.end.recap.iter().for_each(|recap| listener.expect(recap));
        known.handoff.iter().for_each(|item| listener.hear(item, Voice::Handoff));
        let heard = listener.read(&session.transcript, Some(conversation.size_bytes), None)?;
        let own = own_words::own_messages(&conversation.messages, &heard, &redactor);
        conversation.end.recap = conversation.end.recap.map(|recap| own_words::own_recap(&recap, &heard, &redactor));
        let folder = Path::new(conversation.cwd.as_deref().unwrap_or(""));
        let points = progress::standing(&own, &conversation.end, &heard, folder, &redactor).points;
        let pieces = piece::all(&conversation.messages, conversation.end.recap.as_deref());
        let record = record.clone();
        Ok(Self { record, redactor, session, ts, conversation, pieces, own, heard, known, keeps_memories, points })
    }

    /// The branch of the session's last record, else what is checked out now, or "".
    fn branch(&self) -> &str {
        self.conversation.branch.as_ref().or(self.session.branch.as_ref()).map_or("", String::as_str)
    }

    /// What the model reads, and whether all of the handoff is in it.
    fn prompt(&self, config: &Config) -> (Masked, bool) {
        let cwd = self.session.cwd.to_string_lossy();
        let setting = [
            ("project", text::one_line(&self.session.project)),
            ("cwd", text::one_line(&cwd)),
            ("branch", text::one_line(self.branch())),
            ("time", clock::local(self.ts).into()),
            // Nothing in the conversation can foresee it.
            ("fence", format!("=== session {} ===", self.conversation.hash).into()),
            ("stood", prompt::stood(&self.points).into()),
        ];
        let room = config.compound_loop.max_prompt_chars;
        let (text, whole_handoff) = prompt::build(&setting, &self.known, &self.pieces, room);
        (self.redactor.masked_parts(&text), whole_handoff)
    }

    /// The record of what the session says in so many words; no model is asked.
    fn extracted(&self) -> Record {
        let decisions: Vec<&Item> = self.known.corrigible.of(ItemKind::Decision).collect();
        let earlier = Earlier { items: &self.known.handoff, decisions: &decisions, heard: Some(&self.heard) };
        let mut lists = extract::extract(&self.own, &earlier);
        // Its quotes are also of texts that the pieces do not have in these words.
        let todos = self.own.iter().filter_map(|message| Some(message.quote(&extract::todo_texts(message)?)));
        let texts = todos.chain(extract::texts(&self.conversation.messages)).map(|text| Piece::written("", text));
        let mut pieces: Vec<Piece> = self.pieces.iter().cloned().chain(texts).collect();
        // What is said around a quote is found by its place.
        pieces.sort_by_key(|piece| piece.line);
        let ground = self.ground(&pieces);
        self.look_up(&mut lists.items, &ground);
        self.distilled(lists, Engine::Extract, &self.known.handoff_base, &ground)
    }

    /// What the quotes of items are looked up in.
    fn ground(&self, pieces: &[Piece]) -> Ground<'_> {
        let cwd = self.session.cwd.to_string_lossy();
        let mut names = vec![self.session.project.as_str(), &cwd, self.branch()];
        names.extend(self.points.iter().map(String::as_str));
        Ground::new(pieces, &self.known.handoff, &self.heard, &names)
    }

    fn look_up(&self, items: &mut [Item], ground: &Ground<'_>) {
        for item in items {
            self.known.corrigible.without_id(item);
            with_id(item, &self.session.project, &self.redactor);
            ground.check(item);
        }
    }

    /// The record: the session's fields, what was read, and the items that were looked up.
    fn distilled(&self, mut lists: Lists, engine: Engine, handoff_base: &str, ground: &Ground<'_>) -> Record {
        let mut replaced = BTreeSet::new();
        lists.items.retain(|item| item.kind != ItemKind::Memory || self.keeps_memories);
        lists.items.iter_mut().for_each(|item| self.known.corrigible.check(item, &mut replaced));
        for mut kept in ground::reworded(&lists.items, &self.known.handoff) {
            with_id(&mut kept, &self.session.project, &self.redactor);
            lists.items.push(kept);
        }
        let Conversation { messages, end, cwd, totals, .. } = &self.conversation;
        let mut record = self.redactor.shown_record(&self.record);
        // Where another branch was checked out since, what the session named is not there.
        record.set_some("branch", Some(self.branch()).filter(|branch| !["", "HEAD"].contains(branch)).as_ref());
        record.set("type", "distilled");
        record.set("source_size_bytes", &self.conversation.size_bytes);
        record.set_some("source_modified_at", self.conversation.modified_at.map(|time| time.to_string()).as_ref());
        record.set("ts", &clock::local(self.ts));
        record.set("messages", &totals.messages);
        record.set("tool_uses", &totals.tool_uses);
        record.set("conversation_hash", &self.conversation.hash);
        record.set("engine", engine.word());
        record.set("language", extract::language(messages));
        record.set("distilled_at", &clock::local(clock::now()));
        record.set("handoff_base", handoff_base);
        put_lists(&mut record, &lists);
        let mut said = self.said(ground);
        said.retain(|said| !is_told(said, &lists.items));
        record.set(said::LIST, &said);
        let folder = Path::new(cwd.as_deref().unwrap_or(""));
        // Commands that failed, and what passed then, by whichever engine the rest is made.
        record.set(fix::LIST, &fixes::find(messages, end, folder, &self.redactor));
        record
    }

    /// What the user said that is worth to be kept letter by letter, by whichever engine the rest is made. It is looked up,
    /// so that nothing that is pasted or repeated gets in.
    fn said(&self, ground: &Ground<'_>) -> Vec<OwnWords> {
        let mut items = extract::said(&self.own);
        self.look_up(&mut items, ground);
        let items = items.into_iter().filter(|item| item.grounded && item.voice() == Some(Voice::User));
        items.map(|item| OwnWords { text: item.summary, evidence: item.evidence }).collect()
    }

    /// Stores the record from a model's answer and whether that is whole, its items read a second time if that is
    /// configured.
    fn finish(
        &self,
        (mut lists, whole): (Lists, bool),
        asked: &Request,
        run: &Distillation<'_>,
    ) -> Result<Distilled, NoAnswer> {
        // An answer that is not whole settles nothing of the handoff: the two are united.
        let handoff_base = if whole { &asked.handoff_base } else { handoff::IN_PART };
        if !whole {
            let what = format!("the model's answer has a flaw; complete items that are kept: {}", lists.items.len());
            log::say("lh-distill", &format!("{}: {what}", self.session.session_id));
        }
        let ground = self.ground(&self.pieces);
        self.look_up(&mut lists.items, &ground);
        verify::verify(self, &mut lists.items, asked, run)?;
        let mut record = self.distilled(lists, asked.engine, handoff_base, &ground);
        if asked.engine == Engine::Claude {
            record.set("model", &run.config.compound_loop.model);
        }
        Ok(run.steps.store(&record, &self.redactor)?)
    }
}

/// Whether the user's own words are kept already: as an item that stays, or in its quotes. What was decided later about
/// the same names replaces what was said.
fn is_told(said: &OwnWords, items: &[Item]) -> bool {
    let last = |evidence: &[Evidence]| evidence.iter().filter_map(|evidence| evidence.line).max();
    let (own, names) = (text::canonical(&said.text), text::meaning(&said.text).fixed);
    let mut stays = items.iter().filter(|item| item.kind != ItemKind::Handoff);
    stays.any(|item| {
        let in_common = text::meaning(&item.summary).fixed.intersection(&names).count();
        text::canonical(&item.summary) == own
            || item.evidence.iter().any(|evidence| text::canonical(&evidence.quote).contains(&own))
            || last(&item.evidence) > last(&said.evidence) && in_common >= SAME_NAMES
    })
}

/// Whether a session's memories are kept: not where the configuration says so, and not if the session's agent wrote some itself.
fn keeps_memories(session: &Session, conversation: &Conversation, config: &Config) -> bool {
    let tools = conversation.messages.iter().flat_map(|message| &message.tools).filter(|tool| tool.edits());
    let wrote = tools.filter_map(|tool| tool.file.as_deref()).any(|path| is_memory(path, session));
    if config.memory.extract && wrote {
        log::say("lh-distill", &format!("{}: it wrote memories itself; none are distilled", session.session_id));
    }
    config.memory.extract && !wrote
}

/// Whether a file is a memory of the session's project, or their index.
fn is_memory(path: &str, session: &Session) -> bool {
    // The client says it as it knows it, which can be by way of a link.
    let path = file::real_path(&session.cwd.join(path));
    let is_below = |folder: &Path| !folder.as_os_str().is_empty() && path.starts_with(file::real_path(folder));
    path.file_name().is_some_and(|name| name == memories::index::NAME || memories::is_note(&name.to_string_lossy()))
        && (is_below(&session.notes_dir) || is_below(&session.memory_dir))
}

/// What the project's memory holds.
fn known(session: &Session, ts: Timestamp, config: &Config) -> Result<EarlierItems, Failure> {
    let memory = Memory::of(session, config)?;
    let mut corrigible = Corrigible::default();
    let (mut earlier, mut lists) = (Vec::new(), Vec::new());
    for (kind, title) in [
        (ItemKind::Decision, prompt::DECISIONS),
        (ItemKind::Failure, prompt::FAILURES),
        (ItemKind::Memory, prompt::MEMORIES),
    ] {
        let all = journal::read(&memory.journal(kind, true), kind)?;
        let line = |id: &str, item: &Item| format!("{} {}", item::short_id(id), item.sentence());
        let line_of = |known: &Entry| line(&known.id(), &known.item);
        // What is wrong or replaced is not told, but what this session said of it is not asked for again.
        let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|known| known.session_id == session.session_id);
        earlier.extend(own.into_iter().map(line_of));
        let mut told: Vec<String> = others.into_iter().filter(|known| known.holds()).map(line_of).collect();
        corrigible.add(&all, ts);
        if kind == ItemKind::Memory {
            // A file of another author can have an id of its own form.
            for note in memories::of_others(&memory)?.into_iter().map(|note| note.item(&session.project)) {
                told.push(line(&note.id, &note));
                corrigible.0.push(note);
            }
        }
        lists.push((title, newest(told, KNOWN)));
    }
    lists.insert(0, (prompt::EARLIER, newest(earlier, MANY)));
    // A knowledge folder that cannot be read (a drive that is not there) costs titles, not the session.
    let learnings = config.learnings_folder().and_then(|folder| learnings::newest(&folder)).unwrap_or_else(|failure| {
        log::say("lh-distill", &failure.message);
        Vec::new()
    });
    let titles = learnings.into_iter().filter(|learning| learning.active).map(|learning| learning.item.summary);
    let mut learnings: Vec<String> = titles.take(MANY).collect();
    learnings.reverse();
    lists.push((prompt::LEARNINGS, learnings));
    let present = handoff::read(&memory)?;
    // What it left open earlier it says again, or it is open no more.
    let others = handoff::lines(&memory)?.into_iter().filter(|line| !line.is_of(&session.session_id));
    let handoff = others.map(|line| line.text).collect();
    Ok(EarlierItems { handoff, handoff_base: present.base, lists, corrigible })
}

fn newest(mut lines: Vec<String>, most: usize) -> Vec<String> {
    lines.split_off(lines.len() - most.min(lines.len()))
}

/// A session whose texts may be shown. Its cwd is shown, not opened.
fn shown(session: Session, redactor: &Redactor) -> Session {
    let text = |text: &str| redactor.shown(text).into_owned();
    let cwd = text(&session.cwd.to_string_lossy()).into();
    Session { project: text(&session.project), branch: session.branch.as_deref().map(text), cwd, ..session }
}

/// Masks what an item says, and gives it the id of that.
pub fn with_id(item: &mut Item, project: &str, redactor: &Redactor) {
    item.for_each_text(|text| redactor.show(text));
    item.id = item::id(item.kind, project, &item.summary);
}

fn put_lists(record: &mut Record, lists: &Lists) {
    for kind in &lists.kinds {
        record.set(kind.list(), &lists.of(*kind).map(Item::record).collect::<Vec<_>>());
    }
}

/// Says in an `outcome` record why a session could not be done, for the task's `last_error`; gives the failure back.
pub fn failed(failure: Failure, config: &Config, out: &mut Output) -> Result<(), Failure> {
    let why = Redactor::new(&config.privacy)?.shown(&failure.message).into_owned();
    let reason = Some(text::cut(&text::one_line(&why), 300).into_owned());
    out.record(&Outcome { ending: Some(Ending::Failed), reason, ..Outcome::default() }.record())?;
    out.flush()?;
    Err(failure)
}
