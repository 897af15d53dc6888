//! The keys of lazy-harness 0.45.1, which reads the same file: they are known, so that no user is told to
//! correct them. What its user asked for with one of them and we do not do is said by `lh-setup --migrate`.

/// Its sections with their keys, our own ones left out. `*` is each table of a section.
pub const KEYS: &[(&str, &[&str])] = &[
    ("harness", &["version"]),
    ("agent", &["type"]),
    ("profiles", &["default"]),
    ("profiles.*", &["roots", "lazynorth_doc"]),
    ("knowledge.learnings", &["enabled"]),
    ("knowledge.search", &["engine"]),
    ("knowledge.embed", &["timeout"]),
    ("knowledge.structure", &["engine", "enabled", "version", "repos", "auto_rebuild_on_commit"]),
    ("memory.engram", &["enabled", "git_sync", "cloud", "version", "binary"]),
    ("monitoring", &["enabled", "db", "pricing"]),
    ("secrets", &["dir"]),
    ("scheduler", &["backend", "jobs"]),
    ("hooks.*", &["scripts", "external", "allow_patterns"]),
    ("metrics", &["sinks", "user_id", "tenant_id", "pending_ttl_days", "sink_options"]),
    ("lazynorth", &["enabled", "path", "universal_doc"]),
    ("loops", &["inject_goal_prompt"]),
    ("compound_loop", &["grading_enabled", "lazymind_dir", "slim_handoff_enabled"]),
    ("compound_loop.backend_options", &["api_key"]),
    (
        "context_inject",
        &[
            "last_session_enabled",
            "qmd_suggest_enabled",
            "qmd_suggest_top_k",
            "graphify_surface_enabled",
            "proposals_summary",
            "repo_map_scope",
            "repo_map_doc",
            "repo_map_max_chars",
        ],
    ),
];
