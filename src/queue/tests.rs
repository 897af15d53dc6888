use super::*;

fn queue() -> (tempfile::TempDir, Queue) {
    let home = tempfile::tempdir().unwrap();
    let queue = Queue::in_home(home.path());
    queue.folder(DONE).unwrap();
    (home, queue)
}

#[test]
fn a_task_gets_the_first_name_that_is_free_in_all_folders() {
    let (_home, queue) = queue();
    let task = Task::default();
    for name in ["7-a.task", "done/7-a-2.task", ".7-b.task"] {
        queue.write_task(name, &task).unwrap();
    }
    for next in ["7-a-3.task", "7-a-4.task"] {
        assert_eq!(queue.create(&task, 7, "a").unwrap(), queue.folder.join(next));
    }
    std::fs::write(queue.folder.join("7-c.txt"), "").unwrap();
    assert_eq!(tasks_in(&queue.folder).unwrap(), ["7-a-3.task", "7-a-4.task", "7-a.task"]);
}

#[test]
fn the_first_use_is_noted_once_and_not_believed_when_it_is_ahead() {
    let (_home, queue) = queue();
    assert_eq!(queue.since().unwrap(), None);
    let path = queue.folder.join(".since");
    for (text, stays) in [("2026-04-13T10:00:00+00:00\n", true), ("9000-01-01T00:00:00+00:00\n", false), ("x\n", false)]
    {
        std::fs::write(&path, text).unwrap();
        assert_eq!(queue.since().unwrap().is_some(), stays, "{text}");
        queue.mark_first_use().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap() == text, stays, "{text}");
    }
}

#[test]
fn what_the_sweep_queued_is_counted_by_its_day() {
    let (_home, queue) = queue();
    let midnight = clock::start_of_day("2026-04-13").unwrap().as_second();
    for (folder, second, event) in [("", 0, SWEEP), ("done/", 1, SWEEP), ("", -1, SWEEP), ("", 2, "Stop")] {
        let transcript = PathBuf::from("/x.jsonl");
        let task = Task { transcript, session_id: "x".to_owned(), event: event.to_owned(), ..Task::default() };
        queue.write_task(format!("{folder}{}-x.task", midnight + second), &task).unwrap();
    }
    assert_eq!((queue.sweep_queued_on("2026-04-13").unwrap(), queue.sweep_queued_on("2026-04-12").unwrap()), (2, 3));
}

#[test]
fn a_table_has_a_line_a_task() {
    assert_eq!(table(&[]), "no task waits and none was given up\n");
    let mut record = Record::new("task");
    record.set("session_id", "aaaaaaaa-1");
    record.set("attempts", &2);
    record.set("last_error", "status 75");
    record.set("not_before", "2026-04-13T10:00:00Z");
    let lines = table(&[record]);
    let words: Vec<&str> = lines.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words.join(" "), "2 aaaaaaaa status 75 (not before 2026-04-13T10:00:00Z)");
}
