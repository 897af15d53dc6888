// The files that bin/lh.rs has inside, so that `lh setup` can put them beside it where it came alone. Only that program
// has them: no other is built anew for a page.
macro_rules! inside {
    ($($folder:literal: $($name:literal)*;)*) => {
        &[$($((concat!($folder, "/", $name), include_str!(concat!("../../", $folder, "/", $name)))),*),*]
    };
}

const FILES: lh::commands::Files = inside! {
    "scripts":
    "lh-background" "lh-handoff-now" "lh-hook-pre-compact" "lh-hook-prompt" "lh-hook-session-end"
    "lh-hook-session-start" "lh-hook-stop" "lh-hook-tool" "lh-pick" "lh-preamble" "lh-remember" "lh-sweep" "lh-task"
    "lh-weekly" "lh-worker" "install";
    "man":
    "lh-backfill.1" "lh-blame.1" "lh-brief.1" "lh-config.5" "lh-context.1" "lh-dequeue.1" "lh-detach.1" "lh-distill.1"
    "lh-doctor.1" "lh-done.1" "lh-dream.1" "lh-enqueue.1" "lh-episode.1" "lh-export.1" "lh-figures.7"
    "lh-find-session.1" "lh-forget.1" "lh-format.7" "lh-gate.1" "lh-history.1" "lh-import.1" "lh-index.1" "lh-memory.5" "lh-messages.1"
    "lh-persist.1" "lh-prune.1" "lh-recall.1" "lh-record.5" "lh-redact.1" "lh-report.1" "lh-review.1"
    "lh-select.1" "lh-setup.1" "lh-summarize.1" "lh-trust.7" "lh.1" "lh.7";
    "share/lh": "record.schema.json";
};
