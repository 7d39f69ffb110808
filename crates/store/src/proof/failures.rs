//! Every call of every operation fails once: the first, the second, and so on until the last. Each fails in one of the ways,
//! the first and the last call of each kind in all of them; the errors of the system take turns, from call to call. The long
//! campaign has each call fail in each way, with each error.

use super::{Step, Story, Worker, factor, folder};
use files::fault::{self, Fault};
use rustix::io::Errno;

/// What has happened before, and what is done while a call fails.
const OPERATIONS: [(&[Step], Step); 28] = [
    (&[], Step::Init),
    (&[Step::Init], Step::Init),
    (&[Step::Init], Step::InitIgnored),
    (&[Step::Init], Step::Ask("one")),
    (&[Step::Init, Step::Ask("one")], Step::Ask("one")),
    (&[Step::Init, Step::Ask("one"), Step::Draft("x")], Step::Ask("two")),
    (&[Step::Init, Step::Ask("one")], Step::Draft("x")),
    (&[Step::Init, Step::Ask("one"), Step::Draft("x")], Step::Draft("y")),
    (&[Step::Init, Step::Ask("one"), Step::Draft("x")], Step::Answer("a")),
    (&[Step::Init, Step::Ask("one"), Step::Answer("a")], Step::Answer("b")),
    (&[Step::Init, Step::Ask("one"), Step::Draft("x")], Step::SendBack),
    (&[Step::Init, Step::Ask("one")], Step::Cancel),
    (&[Step::Init, Step::Ask("one")], Step::Announce),
    (&[Step::Init], Step::Put("one")),
    (&[Step::Init, Step::Put("one")], Step::Put("one")),
    (&[Step::Init, Step::Ask("one"), Step::Put("two")], Step::Put("three")),
    (&[Step::Init, Step::Put("one")], Step::DraftOwn("x")),
    (&[Step::Init, Step::Put("one"), Step::DraftOwn("x")], Step::AnswerOwn("a")),
    (&[Step::Init, Step::PutLate("one")], Step::AnswerOwn("a")),
    (&[Step::Init, Step::PutLate("one"), Step::Put("two")], Step::Expire),
    (&[Step::Init, Step::Put("one"), Step::AnswerOwn("a")], Step::Put("one")),
    (&[Step::Init, Step::Ask("one")], Step::Attach("x", "1")),
    (&[Step::Init, Step::Ask("one"), Step::Attach("x", "1")], Step::Attach("x", "2")),
    (&[Step::Init, Step::Ask("one"), Step::Attach("x", "1")], Step::Attach("y", "2")),
    (&[Step::Init, Step::Ask("one"), Step::Attach("x", "1"), Step::Attach("y", "2")], Step::Detach("x")),
    (&[Step::Init, Step::Ask("one"), Step::Attach("x", "1")], Step::Answer("a")),
    (&[Step::Init, Step::Ask("one"), Step::Draft("x")], Step::AnswerPart("a")),
    (&[Step::Init, Step::Ask("one"), Step::Attach("x", "1")], Step::AnswerPart("a")),
];

const ERRORS: [Errno; 4] = [Errno::IO, Errno::NOSPC, Errno::DQUOT, Errno::ACCESS];

/// The error of the system whose turn it is.
fn error(turn: u64) -> Fault {
    Fault::Fails(ERRORS[usize::try_from(turn).unwrap() % ERRORS.len()])
}

/// Runs one operation with its `turn`-th call failing, and checks what is left. Says whether there was such a call, and
/// whether the operation succeeded all the same.
fn run(before: &[Step], step: Step, turn: u64, fault: Fault) -> (bool, bool) {
    let _story = Story(format!("{before:?}, then {step:?} with call {turn} {fault:?}"));
    let folder = folder();
    let mut worker = Worker::new(folder.path());
    for step in before {
        worker.act(*step).unwrap();
    }
    fault::fail(turn, fault);
    let result = worker.act(step);
    let came = fault::fail_no_more();
    worker.ledger.check(folder.path());
    (came, result.is_ok())
}

/// How the call of this number fails.
type FailureMode = fn(u64) -> Fault;

/// Has calls of each operation fail in each of the `ways`, every `stride`-th of them in the same, and returns in how many runs.
/// Whether every operation `succeeds` all the same.
fn sweep(ways: &[FailureMode], stride: usize, succeeds: bool) -> u64 {
    let mut runs = 0;
    for (place, (before, step)) in OPERATIONS.into_iter().enumerate() {
        let undisturbed = run(before, step, u64::MAX, Fault::Killed);
        assert_eq!(undisturbed, (false, true), "{step:?}");
        let calls = fault::calls();
        assert!(calls.len() > 10, "{step:?}: only {} calls", calls.len());
        for (number, way) in ways.iter().enumerate() {
            for turn in fault::sample(&calls, place + number, stride) {
                let fault = way(turn);
                let (came, succeeded) = run(before, step, turn, fault);
                runs += 1;
                assert!(came, "{step:?}: there is no call {turn}");
                assert!(succeeded || !succeeds, "{step:?}, call {turn}: {fault:?}");
            }
        }
    }
    runs
}

#[test]
fn no_failure_of_any_call_loses_an_answer_or_makes_one() {
    let mut ways: Vec<FailureMode> =
        vec![|_| Fault::FailsDone(Errno::IO), |_| Fault::Killed, |turn| error(turn)];
    // Each way its calls.
    let stride = if factor() > 1 { 1 } else { ways.len() };
    if factor() > 1 {
        ways.extend([
            (|turn| error(turn + 1)) as FailureMode,
            |turn| error(turn + 2),
            |turn| error(turn + 3),
        ]);
    }
    let runs = sweep(&ways, stride, false);
    assert!(runs > 250 * ways.len() as u64, "{runs}");
}

#[test]
fn an_interrupted_call_is_made_again() {
    let stride = if factor() > 1 { 1 } else { 3 };
    let runs = sweep(&[|_| Fault::Fails(Errno::INTR)], stride, true);
    assert!(runs > 250, "{runs}");
}
