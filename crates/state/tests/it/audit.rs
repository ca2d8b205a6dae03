//! The audit shows what was called, and shows when somebody changed what it shows.

use quillgate_state::{AuditFault, AuditFilter, AuditProblem, AuditRow, AuditStatus, ChainHead, State, StateError};

use crate::place::{NOW, Place, stories};

stories![
    rows_come_back_as_they_were_written,
    pages_neither_repeat_nor_skip,
    batches_of_any_size_make_one_chain,
    a_batch_that_may_have_been_written_is_written_once,
    a_chain_that_was_continued_or_removed_is_not_continued,
    nothing_that_a_caller_sends_keeps_rows_from_being_written,
    every_changed_field_is_found,
    missing_rows_are_found,
    swapped_and_inserted_rows_are_found,
    changed_heads_are_found,
    missing_chains_are_found,
    what_is_left_after_trimming_can_be_verified,
    trimming_hides_nothing_that_it_does_not_drop,
    verifying_goes_on_while_others_write_and_trim,
    many_chains_begin_at_once,
];

const MS: i64 = NOW * 1000;

pub(crate) fn call(at_ms: i64) -> AuditRow {
    AuditRow {
        at_ms,
        vault: Some("work".into()),
        surface: "engine".into(),
        tool: "read_note".into(),
        caller: "3f9a".into(),
        client: None,
        session: Some("s1".into()),
        args_hash: "abcdef".into(),
        status: AuditStatus::Ok,
        code: None,
        confirmed: None,
        bytes_out: 1234,
        duration_us: 567,
        dropped: 0,
    }
}

async fn write(state: &State, chain: &str, rows: i64) -> ChainHead {
    let mut head = state.start_audit(chain, MS).await.unwrap();
    let rows: Vec<_> = (1..=rows).map(|number| call(MS + number)).collect();
    state.append_audit(&mut head, &rows).await.unwrap();
    head
}

async fn problems(state: &State) -> Vec<(String, i64, AuditFault)> {
    let report = state.verify_audit().await.unwrap();
    assert_eq!(report.more_problems, 0);
    report.problems.into_iter().map(|AuditProblem { chain, seq, what }| (chain, seq, what)).collect()
}

fn problem(chain: &str, seq: i64, what: AuditFault) -> (String, i64, AuditFault) {
    (chain.into(), seq, what)
}

async fn rows_come_back_as_they_were_written(place: Place) {
    let state = place.open().await;
    let refused = AuditRow {
        vault: None,
        tool: "delete_note".into(),
        caller: "77aa".into(),
        client: Some("Claude".into()),
        session: None,
        status: AuditStatus::Error,
        code: Some("forbidden".into()),
        confirmed: Some("anna".into()),
        ..call(MS + 5)
    };
    let gap = AuditRow::gap(MS + 9, 17);
    let mut head = state.start_audit("one", MS).await.unwrap();
    let written = [call(MS + 1), refused.clone(), gap.clone()];
    state.append_audit(&mut head, &written).await.unwrap();
    drop(state);

    let state = place.open().await;
    let entries = state.list_audit(&AuditFilter::default(), None, 10).await.unwrap();
    assert_eq!(
        entries.iter().map(|entry| (entry.seq, &entry.row)).collect::<Vec<_>>(),
        [(3, &written[2]), (2, &written[1]), (1, &written[0])]
    );
    let found = async |filter: AuditFilter| {
        let entries = state.list_audit(&filter, None, 10).await.unwrap();
        entries.into_iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    let any = AuditFilter::default;
    assert_eq!(found(AuditFilter { vault: Some("work".into()), ..any() }).await, [1]);
    assert_eq!(found(AuditFilter { tool: Some("delete_note".into()), ..any() }).await, [2]);
    assert_eq!(found(AuditFilter { caller: Some("77aa".into()), ..any() }).await, [2]);
    assert_eq!(found(AuditFilter { status: Some(AuditStatus::Gap), ..any() }).await, [3]);
    assert_eq!(found(AuditFilter { since_ms: Some(MS + 5), ..any() }).await, [3, 2]);
    assert_eq!(found(AuditFilter { since_ms: Some(MS + 5), status: Some(AuditStatus::Ok), ..any() }).await, [0; 0]);
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.chains, report.rows, report.problems), (1, 3, vec![]));
}

async fn pages_neither_repeat_nor_skip(place: Place) {
    let state = place.open().await;
    let mut heads = [state.start_audit("a", MS).await.unwrap(), state.start_audit("b", MS).await.unwrap()];
    // Many of the same moment, in two chains.
    let rows: Vec<_> = (0..50).map(|number| call(MS + number / 10)).collect();
    for head in &mut heads {
        state.append_audit(head, &rows).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = state.list_audit(&AuditFilter::default(), cursor.as_ref(), 7).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = Some(last.cursor());
        seen.extend(page.iter().map(|entry| (entry.row.at_ms, entry.chain.clone(), entry.seq)));
        // What comes meanwhile is not in the way.
        state.append_audit(&mut heads[0], &[call(MS + 100)]).await.unwrap();
    }
    let mut expected = seen.clone();
    expected.sort();
    expected.dedup();
    expected.reverse();
    assert_eq!(seen, expected);
    assert_eq!(seen.len(), 100);
}

async fn batches_of_any_size_make_one_chain(place: Place) {
    let state = place.open().await;
    let mut head = state.start_audit("one", MS).await.unwrap();
    let mut rows = 0;
    for size in [1, 0, 31, 32, 33, 64, 1100] {
        let batch: Vec<_> = (0..size).map(|number| call(MS + number)).collect();
        state.append_audit(&mut head, &batch).await.unwrap();
        rows += batch.len() as u64;
    }
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.chains, report.rows, report.problems), (1, rows, vec![]));
}

/// As after a connection that was lost before the answer came.
async fn a_batch_that_may_have_been_written_is_written_once(place: Place) {
    let state = place.open().await;
    let mut head = write(&state, "one", 3).await;
    let mut before = head.clone();
    let batch: Vec<_> = (0..40).map(|number| call(MS + number)).collect();
    state.append_audit(&mut head, &batch).await.unwrap();
    state.append_audit(&mut before, &batch).await.unwrap();
    assert_eq!(before, head);
    state.append_audit(&mut head, &batch).await.unwrap();
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.rows, report.problems), (83, vec![]));
}

async fn a_chain_that_was_continued_or_removed_is_not_continued(place: Place) {
    let state = place.open().await;
    let mut head = write(&state, "one", 3).await;
    let mut copy = head.clone();
    state.append_audit(&mut head, &[call(MS + 5)]).await.unwrap();
    let other = AuditRow { tool: "other".into(), ..call(MS + 5) };
    assert_eq!(state.append_audit(&mut copy, std::slice::from_ref(&other)).await, Err(StateError::ChainLost));
    assert_eq!(state.verify_audit().await.unwrap().rows, 4);
    assert!(matches!(state.start_audit("one", MS).await, Err(StateError::Taken(_))));
    assert_eq!(problems(&state).await, []);

    place.run("DELETE FROM audit_heads").await;
    assert_eq!(state.append_audit(&mut head, &[other]).await, Err(StateError::ChainLost));
    assert_eq!(state.list_audit(&AuditFilter::default(), None, 10).await.unwrap().len(), 4);
}

async fn nothing_that_a_caller_sends_keeps_rows_from_being_written(place: Place) {
    let state = place.open().await;
    let mut head = state.start_audit("one", MS).await.unwrap();
    let tools = ["a\0b".to_owned(), "é".repeat(100_000), "'; DROP TABLE audit; --".into(), String::new()];
    let rows: Vec<_> = tools.iter().map(|tool| AuditRow { tool: tool.clone(), ..call(MS) }).collect();
    state.append_audit(&mut head, &rows).await.unwrap();
    let entries = state.list_audit(&AuditFilter::default(), None, 10).await.unwrap();
    let tools: Vec<_> = entries.into_iter().rev().map(|entry| entry.row.tool).collect();
    assert_eq!(tools, ["a\u{fffd}b", &"é".repeat(128), "'; DROP TABLE audit; --", ""]);
    assert_eq!(problems(&state).await, []);
}

async fn every_changed_field_is_found(place: Place) {
    let state = place.open().await;
    let changes = [
        "at = at + 1",
        "vault = NULL",
        "vault = 'wor', surface = 'kengine'",
        "surface = 'notes'",
        "tool = 'read_notes'",
        "caller = ''",
        "client = ''",
        "session = 's2'",
        "args_hash = 'abcdee'",
        "status = 'error'",
        "status = 'fine'",
        "code = 'throttled'",
        "confirmed = 'anna'",
        "bytes_out = bytes_out - 1",
        "duration = 0",
        "dropped = 1",
    ];
    for (number, change) in changes.into_iter().enumerate() {
        write(&state, &format!("{number:02}"), 9).await;
        place.run(&format!("UPDATE audit SET {change} WHERE chain = '{number:02}' AND seq = 5")).await;
    }
    let expected: Vec<_> = (0..changes.len()).map(|number| problem(&format!("{number:02}"), 5, AuditFault::Changed)).collect();
    assert_eq!(problems(&state).await, expected);

    write(&state, "hash", 9).await;
    place.run("UPDATE audit SET hash = 'x' WHERE chain = 'hash' AND seq = 5").await;
    let found = problems(&state).await.split_off(changes.len());
    assert_eq!(found, [problem("hash", 5, AuditFault::Changed), problem("hash", 6, AuditFault::Changed)]);
}

async fn missing_rows_are_found(place: Place) {
    let state = place.open().await;
    for (chain, gone) in [("first", "= 1"), ("middle", "= 5"), ("some", "BETWEEN 3 AND 6"), ("last", "= 9"), ("all", "> 0")] {
        write(&state, chain, 9).await;
        place.run(&format!("DELETE FROM audit WHERE chain = '{chain}' AND seq {gone}")).await;
    }
    let missing = |chain, seq, rows| problem(chain, seq, AuditFault::Missing { rows });
    let expected =
        [missing("first", 1, 1), missing("middle", 5, 1), missing("some", 3, 4), missing("last", 9, 1), missing("all", 1, 9)];
    assert_eq!(problems(&state).await, expected);
}

async fn swapped_and_inserted_rows_are_found(place: Place) {
    let state = place.open().await;
    write(&state, "swapped", 9).await;
    place.run("UPDATE audit SET seq = 100 WHERE chain = 'swapped' AND seq = 3").await;
    place.run("UPDATE audit SET seq = 3 WHERE chain = 'swapped' AND seq = 7").await;
    place.run("UPDATE audit SET seq = 7 WHERE chain = 'swapped' AND seq = 100").await;
    let misplaced = |chain, seq, belongs_at| problem(chain, seq, AuditFault::Misplaced { belongs_at });
    let swapped =
        [problem("swapped", 3, AuditFault::Changed), problem("swapped", 4, AuditFault::Changed), misplaced("swapped", 7, 3)];
    assert_eq!(problems(&state).await, swapped);

    write(&state, "inserted", 9).await;
    for seq in (5..=9).rev() {
        place.run(&format!("UPDATE audit SET seq = {} WHERE chain = 'inserted' AND seq = {seq}", seq + 1)).await;
    }
    place
        .run(
            "INSERT INTO audit SELECT chain, 5, at, vault, surface, 'invented', caller, client, session, args_hash, status, code,
                confirmed, bytes_out, duration, dropped, hash FROM audit WHERE chain = 'inserted' AND seq = 4",
        )
        .await;
    place.run("UPDATE audit_heads SET seq = 10 WHERE chain = 'inserted'").await;
    let found = problems(&state).await.split_off(3);
    let head = problem("inserted", 10, AuditFault::Head);
    let mut expected = vec![problem("inserted", 5, AuditFault::Changed)];
    expected.extend((6..=10).map(|seq| misplaced("inserted", seq, seq - 1)));
    expected.push(head);
    assert_eq!(found, expected);
}

async fn changed_heads_are_found(place: Place) {
    let state = place.open().await;
    let changes = [
        ("ahead", "seq = 12"),
        ("far", "seq = 9223372036854775807"),
        ("behind", "seq = 8"),
        ("hash", "hash = 'x'"),
        ("started", "started = 5"),
        ("anchor", "anchor_seq = 2"),
        ("beyond", "anchor_seq = 10"),
    ];
    for (chain, change) in changes {
        write(&state, chain, 9).await;
        place.run(&format!("UPDATE audit_heads SET {change} WHERE chain = '{chain}'")).await;
    }
    write(&state, "removed", 9).await;
    place.run("DELETE FROM audit_heads WHERE chain = 'removed'").await;
    let found = problems(&state).await;
    let head = |chain, seq| problem(chain, seq, AuditFault::Head);
    let expected = [
        problem("ahead", 10, AuditFault::Missing { rows: 3 }),
        problem("far", 10, AuditFault::Missing { rows: i64::MAX - 10 }),
        head("behind", 8),
        head("behind", 9),
        head("hash", 9),
        head("started", 0),
        problem("anchor", 3, AuditFault::Changed),
        head("anchor", 1),
        head("beyond", 0),
        head("beyond", 1),
        problem("", 0, AuditFault::MissingChains { chains: 1 }),
        head("removed", 1),
    ];
    assert_eq!(found, expected);
}

async fn missing_chains_are_found(place: Place) {
    let state = place.open().await;
    for chain in ["a", "b", "c", "d", "e", "f"] {
        write(&state, chain, 3).await;
    }
    place.run("DELETE FROM audit WHERE chain IN ('b', 'c', 'f'); DELETE FROM audit_heads WHERE chain IN ('b', 'c', 'f')").await;
    let missing = |chain, chains| problem(chain, 0, AuditFault::MissingChains { chains });
    assert_eq!(problems(&state).await, [missing("d", 2), missing("", 1)]);
    write(&state, "g", 3).await;
    assert_eq!(problems(&state).await, [missing("d", 2), missing("g", 1)], "its number is not given again");
    place.run("DELETE FROM audit_chains").await;
    assert_eq!(problems(&state).await[0], problem("", 0, AuditFault::Head));
    assert!(matches!(state.start_audit("h", MS).await, Err(StateError::Damaged(_))));
}

async fn what_is_left_after_trimming_can_be_verified(place: Place) {
    let state = place.open().await;
    let mut heads = Vec::new();
    for (chain, rows) in [("old", 12_000), ("older", 20), ("long", 100)] {
        heads.push(write(&state, chain, rows).await);
    }
    let newer: Vec<_> = (1..=50).map(|number| call(MS + 100_000 + number)).collect();
    state.append_audit(&mut heads[2], &newer).await.unwrap();
    assert_eq!(state.trim_audit(MS + 1).await.unwrap(), 0, "nothing is from before");
    assert_eq!(state.trim_audit(MS + 11).await.unwrap(), 30);
    assert_eq!(problems(&state).await, []);
    assert_eq!(state.trim_audit(MS + 100_000).await.unwrap(), 12_120 - 30);
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.chains, report.rows, report.problems), (1, 50, vec![]), "heads that are empty and old are gone");

    assert_eq!(state.append_audit(&mut heads[0], &[call(MS + 100_000)]).await, Err(StateError::ChainLost));
    state.append_audit(&mut heads[2], &newer).await.unwrap();
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.rows, report.problems), (100, vec![]));
    place.run("DELETE FROM audit WHERE seq IN (101, 120)").await;
    let missing = |seq| problem("long", seq, AuditFault::Missing { rows: 1 });
    assert_eq!(problems(&state).await, [missing(101), missing(120)], "the anchor holds");
}

async fn trimming_hides_nothing_that_it_does_not_drop(place: Place) {
    let state = place.open().await;
    // Written out of order, as by a clock that was set: what comes after a newer row stays with it.
    let mut head = state.start_audit("clock", MS).await.unwrap();
    let rows = [1, 2, 900, 3, 901].map(|at| call(MS + at));
    state.append_audit(&mut head, &rows).await.unwrap();
    for chain in ["gone", "broken"] {
        write(&state, chain, 10).await;
    }
    place.run("DELETE FROM audit_heads WHERE chain = 'gone'; DELETE FROM audit WHERE chain = 'gone'").await;
    place.run("DELETE FROM audit WHERE chain = 'broken' AND seq IN (2, 4, 8)").await;
    assert_eq!(state.trim_audit(MS + 5).await.unwrap(), 2 + 2);
    let expected = [
        problem("broken", 0, AuditFault::MissingChains { chains: 1 }),
        problem("broken", 4, AuditFault::Missing { rows: 1 }),
        problem("broken", 8, AuditFault::Missing { rows: 1 }),
    ];
    assert_eq!(problems(&state).await, expected);
    assert_eq!(state.trim_audit(MS + 5000).await.unwrap(), 3 + 5);
    assert_eq!(problems(&state).await, expected[..1], "the chain that is missing is not counted as trimmed");
}

async fn verifying_goes_on_while_others_write_and_trim(place: Place) {
    let state = place.open().await;
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let state = state.clone();
            tokio::spawn(async move {
                for part in 0..4 {
                    let start = async |name: &str| state.start_audit(&format!("{writer}/{part}/{name}"), MS).await.unwrap();
                    let mut head = start("first").await;
                    for batch in 0..10 {
                        let rows: Vec<_> = (0..60).map(|number| call(MS + part * 1000 + batch * 60 + number)).collect();
                        while let Err(error) = state.append_audit(&mut head, &rows).await {
                            // All that was in it was trimmed, so it was thought to have ended.
                            assert_eq!(error, StateError::ChainLost);
                            head = start(&batch.to_string()).await;
                        }
                    }
                }
            })
        })
        .collect();
    let trimmer = tokio::spawn({
        let state = place.open().await;
        async move {
            for until in 0..60 {
                state.trim_audit(MS + until * 50).await.unwrap();
            }
        }
    });
    while !(trimmer.is_finished() && writers.iter().all(tokio::task::JoinHandle::is_finished)) {
        assert_eq!(problems(&state).await, []);
    }
    for task in writers.into_iter().chain([trimmer]) {
        task.await.unwrap();
    }
    state.trim_audit(MS + 2950).await.unwrap();
    let report = state.verify_audit().await.unwrap();
    assert_eq!((report.rows, report.problems), (1800, vec![]));
}

async fn many_chains_begin_at_once(place: Place) {
    let handles = [place.open().await, place.open().await];
    let tasks: Vec<_> = (0..40)
        .map(|number: usize| {
            let state = handles[number % 2].clone();
            tokio::spawn(async move { write(&state, &number.to_string(), 5).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let report = handles[0].verify_audit().await.unwrap();
    assert_eq!((report.chains, report.rows, report.problems), (40, 200, vec![]));
}
