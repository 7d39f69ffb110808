//! Many who write and read at the same time.

use crate::support::{Commit, EventRecorder, JournalFolder, change, log, session, why};
use journal::{Journal, Query, Session, ViewExt};
use std::thread;

#[test]
fn every_event_has_one_number_and_is_told_once_in_that_order() {
    const THREADS: usize = 16;
    const EACH: usize = 40;
    let place = JournalFolder::new();
    let told = EventRecorder::default();
    let journal = place.open_with(told.listener()).unwrap();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let journal = &journal;
            scope.spawn(move || {
                for number in 0..EACH {
                    let names: Vec<_> =
                        (0..=number % 3).map(|part| format!("{thread}-{number}-{part}")).collect();
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    let committed = journal.commit(change([], &names)).unwrap();
                    let ids: Vec<_> = committed.events.iter().map(|event| &*event.id).collect();
                    assert_eq!(ids, names);
                    let first = committed.events[0].seq;
                    assert!(committed.events.iter().zip(first..).all(|(event, seq)| event.seq == seq));
                    let last = journal.view().unwrap().log().unwrap().last;
                    assert!(last >= committed.events.last().unwrap().seq, "what was committed is seen");
                }
            });
        }
    });
    let kept = log(&journal);
    let expected = THREADS * (0..EACH).map(|number| number % 3 + 1).sum::<usize>();
    let numbers: Vec<i64> = (1..=i64::try_from(expected).unwrap()).collect();
    assert_eq!(kept.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), numbers, "no gap");
    assert_eq!(told.numbers(), numbers);
    drop(journal);
    assert_eq!(log(&place.open()), kept);
}

#[test]
fn of_many_who_change_a_row_one_wins_each_time() {
    const THREADS: i64 = 8;
    const EACH: i64 = 25;
    let place = JournalFolder::new();
    let journal = place.open();
    journal.commit(change([session("s").into()], &[])).unwrap();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut left = EACH;
                while left > 0 {
                    let view = journal.view().unwrap();
                    let mut row: Session = view.row(&Session::key_of("s")).unwrap().unwrap();
                    drop(view);
                    row.updated += 1;
                    match journal.commit(change([row.into()], &[])) {
                        Ok(_) => left -= 1,
                        Err(error) => assert!(why(&error).starts_with("conflict")),
                    }
                }
            });
        }
    });
    let row = journal.view().unwrap().find(&Query::sessions()).unwrap().pop().unwrap();
    assert_eq!((row.updated, row.version), (1 + THREADS * EACH, 1 + THREADS * EACH));
}

#[test]
fn workflows_are_claimed_once_by_many() {
    let place = JournalFolder::new();
    let journal = place.open();
    let mut rows = vec![session("s").into()];
    for number in 0..200 {
        let mut row = crate::support::workflow(&format!("wf-{number}"), "s");
        row.wake_at = Some(0);
        rows.push(row.into());
    }
    journal.commit(change(rows, &[])).unwrap();
    let mut claimed = Vec::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|owner| {
                let journal = &journal;
                scope.spawn(move || {
                    let mut mine = Vec::new();
                    loop {
                        let leases = journal.claim(&owner.to_string(), 1, 1000, 7).unwrap();
                        if leases.is_empty() {
                            return mine;
                        }
                        mine.extend(leases.into_iter().map(|lease| lease.workflow));
                    }
                })
            })
            .collect();
        for thread in threads {
            claimed.extend(thread.join().unwrap());
        }
    });
    claimed.sort();
    claimed.dedup();
    assert_eq!(claimed.len(), 200);
}
