//! Transactions: what their work sees, and what is left of it.

use crate::support::{EventRecorder, JournalFolder, event, log, session, why_not, workflow};
use journal::{Journal, JournalError, JournalExt, Query, Session, Sqlite, Tx, ViewExt, Workflow};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// Why a test does not want its change.
#[derive(Debug)]
enum Refusal {
    Unwanted,
    Journal(JournalError),
}

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

fn on_disk_and_in_memory() -> (JournalFolder, [Sqlite; 2]) {
    let place = JournalFolder::new();
    let on_disk = place.open();
    (place, [on_disk, Sqlite::in_memory(Box::new(|_| {})).unwrap()])
}

fn sessions(journal: &Sqlite) -> Vec<String> {
    let sessions = journal.view().unwrap().find(&Query::sessions()).unwrap();
    sessions.into_iter().map(|session| session.id).collect()
}

#[test]
fn what_is_written_is_read_in_the_same_transaction() {
    let (_place, journals) = on_disk_and_in_memory();
    for journal in journals {
        let made = journal.write(|tx| -> Result<_, JournalError> {
            assert!(!tx.is_changed());
            assert_eq!(tx.row::<Session>(&Session::key_of("s"))?, None);
            tx.put(session("s").into())?;
            assert!(tx.is_changed());
            let mut kept: Session = tx.row(&Session::key_of("s"))?.unwrap();
            assert_eq!(kept.version, 1);
            kept.name = "other".to_owned();
            tx.put(kept.into())?;
            tx.put(session("t").into())?;
            tx.remove(&Session::key_of("t"))?;
            tx.publish(event("e", None));
            tx.find(&Query::sessions())
        });
        let made = made.unwrap();
        assert_eq!((made.len(), &*made[0].name, made[0].version), (1, "other", 2));
        assert_eq!(journal.view().unwrap().find(&Query::sessions()).unwrap(), made);
        assert_eq!(log(&journal), [(1, "e".to_owned())]);
    }
}

#[test]
fn of_many_who_count_in_a_row_each_is_counted() {
    const THREADS: i64 = 8;
    const EACH: i64 = 25;
    let (_place, journals) = on_disk_and_in_memory();
    for journal in &journals {
        journal.write(|tx| tx.put(session("s").into())).unwrap();
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for number in 0..EACH {
                        let counted = journal.write(|tx| {
                            let mut row: Session = tx.row(&Session::key_of("s"))?.unwrap();
                            row.updated += 1;
                            let updated = row.updated;
                            tx.put(row.into())?;
                            // Some count and are refused after all.
                            if number % 5 == 4 { Err(Refusal::Unwanted) } else { Ok(updated) }
                        });
                        match counted {
                            Ok(_) => {}
                            Err(Refusal::Unwanted) => assert_eq!(number % 5, 4),
                            Err(Refusal::Journal(error)) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        let row: Session = journal.view().unwrap().row(&Session::key_of("s")).unwrap().unwrap();
        assert_eq!(row.updated, 1 + THREADS * EACH * 4 / 5);
    }
}

#[test]
fn nothing_is_left_of_what_is_refused() {
    let (_place, journals) = on_disk_and_in_memory();
    for journal in journals {
        let unwanted = |tx: &mut dyn Tx| {
            tx.put(session("s").into())?;
            tx.publish(event("never", None));
            Err::<(), _>(Refusal::Unwanted)
        };
        assert!(matches!(journal.write(unwanted), Err(Refusal::Unwanted)));
        assert_eq!((sessions(&journal), log(&journal)), (vec![], vec![]));
        let told = journal.run(&mut |tx| {
            tx.publish(event("first", None));
            Ok(())
        });
        assert_eq!(told.unwrap()[0].seq, 1, "no number is skipped");
    }
}

#[test]
fn nothing_is_left_of_work_that_goes_on_after_an_error_of_the_journal() {
    let (_place, journals) = on_disk_and_in_memory();
    for journal in journals {
        let made = journal.write(|tx| -> Result<(), JournalError> {
            tx.put(session("s").into())?;
            let _ = tx.put(workflow("w", "nowhere").into());
            assert_eq!(why_not(&tx.find(&Query::sessions()).unwrap_err()), "invalid");
            assert_eq!(why_not(&tx.put(session("t").into()).unwrap_err()), "invalid");
            tx.publish(event("never", None));
            Ok(())
        });
        assert_eq!(why_not(&made.unwrap_err()), "invalid");
        let stale = journal.write(|tx| -> Result<(), JournalError> {
            tx.put(session("s").into())?;
            let _ = tx.put(session("s").into());
            Ok(())
        });
        assert_eq!(why_not(&stale.unwrap_err()), format!("conflict {:?}", Session::key_of("s")));
        assert_eq!((sessions(&journal), log(&journal)), (vec![], vec![]));
    }
}

#[test]
fn a_panic_is_that_of_its_caller_alone() {
    const EACH: usize = 20;
    let place = JournalFolder::new();
    let told = EventRecorder::default();
    let on_disk = place.open_with(told.listener()).unwrap();
    for (journal, told) in [(on_disk, Some(told)), (Sqlite::in_memory(Box::new(|_| {})).unwrap(), None)] {
        thread::scope(|scope| {
            for thread in 0..8 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..EACH {
                        let name = format!("{thread}-{number}");
                        let work = || {
                            journal.write(|tx| -> Result<(), JournalError> {
                                tx.put(session(&name).into())?;
                                tx.publish(event(&name, None));
                                assert!(thread % 2 == 0, "on purpose");
                                Ok(())
                            })
                        };
                        match catch_unwind(AssertUnwindSafe(work)) {
                            Ok(made) => assert!(thread % 2 == 0 && made.is_ok()),
                            Err(_) => assert!(thread % 2 == 1),
                        }
                    }
                });
            }
        });
        let kept = sessions(&journal);
        assert_eq!(kept.len(), 4 * EACH);
        assert!(kept.iter().all(|name| name.starts_with(['0', '2', '4', '6'])), "{kept:?}");
        let numbers: Vec<i64> = log(&journal).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, (1..=i64::try_from(4 * EACH).unwrap()).collect::<Vec<_>>());
        if let Some(told) = told {
            assert_eq!(told.numbers(), numbers);
        }
    }
}

#[test]
fn a_claim_is_worth_nothing_once_there_is_a_later_one() {
    let (_place, journals) = on_disk_and_in_memory();
    for journal in journals {
        let claim = |until: i64| journal.write(|tx| tx.claim("me", until, until + 1, 9)).unwrap();
        journal
            .write(|tx| {
                tx.put(session("s").into())?;
                tx.put(Workflow { wake_at: Some(0), ..workflow("w", "s") }.into())
            })
            .unwrap();
        let first = claim(1).pop().unwrap();
        assert!(journal.write(|tx| tx.holds(&first)).unwrap());
        let second = claim(9).pop().unwrap();
        assert!(!journal.write(|tx| tx.holds(&first)).unwrap());
        assert!(journal.write(|tx| tx.holds(&second)).unwrap());
    }
}

#[test]
fn any_journal_can_be_written() {
    let (_place, journals) = on_disk_and_in_memory();
    for journal in journals.map(|journal| -> Arc<dyn Journal> { Arc::new(journal) }) {
        let made: Result<&str, JournalError> =
            journal.write(|tx| tx.put(session("s").into()).map(|()| "made"));
        assert_eq!(made.unwrap(), "made");
    }
}
