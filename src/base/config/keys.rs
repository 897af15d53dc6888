//! The keys of the configuration, each in one line: its name, its type, its default, and what it may be.

use super::rule::{COMMAND, FOLDER, HEADING, INSIDE, Keys, LINE, NAME, Rule};
use crate::base::word_enum::words;
use Rule::{Amount, Patterns, Switch, Whole, Word};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Declares the type of each section, with its defaults, and [`SECTIONS`]. Behind a plus are the sections inside of one, and
/// fields that no configuration sets.
macro_rules! sections {
    ($($(#[$about:meta])* $name:ident = $path:literal {
        $($(#[$doc:meta])* $key:ident: $type:ty = $default:expr, $rule:expr;)*
    } $(+ {
        $($(#[$part_doc:meta])* $part:ident: $part_type:ty;)*
    })?)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Deserialize, Serialize)]
            #[serde(default)]
            pub struct $name {
                $($(#[$doc])* pub $key: $type,)*
                $($($(#[$part_doc])* pub $part: $part_type,)*)?
            }

            impl Default for $name {
                fn default() -> Self {
                    Self { $($key: $default,)* $($($part: Default::default(),)*)? }
                }
            }
        )*

        /// All sections with their keys. `*` stands for each table of a section, `[]` for each of a list.
        pub const SECTIONS: &[(&str, Keys)] = &[
            $(($path, &[$((stringify!($key), $rule)),*]),)*
            ("profiles.*", &[("config_dir", FOLDER)]),
        ];
    };
}

sections! {
    /// `[compound_loop]`: the loop and what it may spend.
    Loop = "compound_loop" {
        /// The master switch of the hooks.
        enabled: bool = false, Switch;
        /// The model that `claude` is asked to use.
        model: String = "claude-haiku-4-5-20251001".to_owned(), LINE;
        /// Sessions with fewer messages are not distilled.
        min_messages: u64 = 4, Whole(0, 10_000);
        /// Sessions in which the user typed fewer characters are not distilled, unless enough was done.
        min_user_chars: u64 = 200, Whole(0, 1_000_000);
        /// Uses of tools that are enough, however little the user typed.
        min_tool_uses: u64 = 10, Whole(0, 1_000_000);
        /// A session queued less than this many seconds ago is not queued again.
        debounce_seconds: i64 = 60, Whole(0, 86_400);
        /// A session that was processed is queued again when it has grown for this many seconds.
        reprocess_min_growth_seconds: i64 = 120, Whole(0, 604_800);
        /// The longest that one model call may take.
        timeout_seconds: u64 = 120, Whole(1, 3600);
        /// The folder for learnings inside the knowledge folder.
        learnings_subdir: String = "learnings".to_owned(), INSIDE;
        /// Which program distills.
        engine: Engine = Engine::Auto, Word(&["auto", "claude", "command", "extract"]);
        /// The program of engine `command` and its arguments, split at blanks.
        command: String = String::new(), COMMAND;
        /// Calls of `command` do not count against `max_calls_per_day`.
        command_is_free: bool = false, Switch;
        /// What reads each item again before it is trusted.
        verify: Verify = Verify::Off, Word(&["off", "model"]);
        /// Starts of a task before it is given up.
        max_attempts: u32 = 6, Whole(1, 100);
        /// Old sessions that the sweep may queue a day.
        sweep_per_day: u32 = 10, Whole(0, 10_000);
        /// Model calls a day.
        max_calls_per_day: u64 = 200, Whole(0, 100_000);
        /// US dollars a day, as the client reports them.
        max_usd_per_day: f64 = 5.0, Amount(10_000.0);
        /// Characters of the whole prompt.
        max_prompt_chars: usize = 60_000, Whole(1000, 10_000_000);
        /// The first line of handoff.md; none for the session's language.
        handoff_heading: Option<String> = None, HEADING;
        /// What lazy-harness calls a model by.
        backend: String = "claude".to_owned(), LINE;
    } + {
        /// `[compound_loop.backend_options]`
        backend_options: BackendOptions;
    }

    /// `[compound_loop.backend_options]`: what lazy-harness's `backend` needs.
    BackendOptions = "compound_loop.backend_options" {
        /// Where the model is served.
        base_url: Option<String> = None, LINE;
    }

    /// `[knowledge]`: the folder of exports and learnings. Its other keys are other tools'.
    Knowledge = "knowledge" {
        /// The folder, absolute; `~` is the home.
        path: Option<String> = None, FOLDER;
        /// The predecessor's spelling of `path`.
        root: Option<String> = None, FOLDER;
    } + {
        /// `[knowledge.sessions]`
        sessions: Sessions;
        /// `[knowledge.search]`
        search: Search;
        /// `[[knowledge.classify_rules]]`: the first match counts.
        classify_rules: Vec<ClassifyRule>;
    }

    /// `[knowledge.sessions]`: exports.
    Sessions = "knowledge.sessions" {
        /// Whether the hooks export.
        enabled: bool = true, Switch;
        /// Whether a session's subagents get pages of their own.
        subagents: bool = false, Switch;
    }

    /// `[knowledge.search]`: the index of a user who has QMD.
    Search = "knowledge.search" {
        /// The name of the collection that has the knowledge folder.
        collection: String = "lh".to_owned(), NAME;
    }

    /// What sessions in a folder are; each entry has all of its keys.
    ClassifyRule = "knowledge.classify_rules[]" {
        /// A part of the cwd, in any case.
        pattern: String = String::new(), LINE;
        /// The profile of these sessions.
        profile: String = String::new(), LINE;
        /// What they are about.
        session_type: String = String::new(), LINE;
    }

    /// `[memory]`: where a project's memory is, and what becomes of typed memories.
    MemoryConfig = "memory" {
        /// Where a project's memory is kept.
        scope: Scope = Scope::Project, Word(&["project", "store", "shared"]);
        /// Whether typed memories are distilled from sessions.
        extract: bool = true, Switch;
        /// Whether, and how, a prompt gets the typed memories that it needs.
        select: Select = Select::Off, Word(&["off", "rank"]);
        /// Whether something is told before a file is edited, and when a command failed.
        at_tool: bool = false, Switch;
        /// When briefings are made unasked.
        brief: BriefSchedule = BriefSchedule::Off, Word(&["off", "weekly"]);
        /// What becomes of a plan to consolidate typed memories.
        dream: Dream = Dream::Plan, Word(&["plan", "apply", "off"]);
        /// The model that is asked for a plan that starts by itself.
        dream_engine: Option<Engine> = None, Word(&["claude", "command"]);
    }

    /// `[context]`: how much a session is told at its start.
    ContextConfig = "context" {
        /// Characters of all but the briefing; see [`super::Config::start_chars`].
        max_chars: Option<usize> = None, Whole(1000, 9000);
    }

    /// `[context_inject]`: what a session is told at its start.
    ContextInject = "context_inject" {
        /// Whether a session is told anything at its start.
        enabled: bool = true, Switch;
        /// The predecessor's name of `max_chars`.
        max_body_chars: Option<usize> = None, Whole(1000, 9000);
    }

    /// `[privacy]`: what is masked besides the known forms, and what is not.
    #[derive(PartialEq, Eq)]
    Privacy = "privacy" {
        /// Patterns of further secrets.
        patterns: Vec<String> = Vec::new(), Patterns;
        /// Patterns of what only looks like a secret.
        exempt: Vec<String> = Vec::new(), Patterns;
    } + {
        /// Where each of them is: file, line and column.
        #[serde(skip)]
        positions: BTreeMap<String, String>;
    }
}

words! {
    /// Which program distills.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Engine {
        /// `claude` when it is on PATH, else the embedded one.
        Auto = "auto",
        /// `claude -p`.
        Claude = "claude",
        /// The program that `command` names.
        Command = "command",
        /// The embedded one, which calls no model.
        Extract = "extract",
    }

    /// What reads each item again before it is trusted.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Verify {
        /// Nothing.
        Off = "off",
        /// The model, in a second call.
        Model = "model",
    }

    /// Where a project's memory is kept.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Scope {
        /// Beside the transcripts, in the client's folder of the project.
        Project = "project",
        /// In the knowledge folder, by the name of the repository.
        Store = "store",
        /// `memory/<hash of the project's name>` in the agent's home.
        Shared = "shared",
    }

    /// What chooses the typed memories that a prompt gets.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Select {
        /// Nothing: a prompt is told only what is known of the skill that it invokes.
        Off = "off",
        /// Their words and the prompt's.
        Rank = "rank",
    }

    /// When briefings are made unasked.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    BriefSchedule {
        /// Never.
        Off = "off",
        /// By lh-weekly.
        Weekly = "weekly",
    }

    /// What becomes of a plan to consolidate typed memories.
    #[derive(Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    Dream {
        /// It waits for a person.
        Plan = "plan",
        /// What is shown to lose nothing, and changes only files of ours, is applied at once.
        Apply = "apply",
        /// None is made unless a person asks for it.
        Off = "off",
    }
}
