//! What it costs a server to look whether the sets that it has shown have ended.

use crate::support::ITEMS;
use app::Hall;
use files::fault::{self, Fault};
use model::{Ending, Questions, Via};
use rustix::io::Errno;
use store::Project;

/// How many calls of the system a look takes after one of so many sets has ended elsewhere, and was shown here as all others.
fn calls_of_look(count: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let project = Project::at(folder.path()).unwrap();
    let (decisions, other) = (project.decisions().unwrap(), project.decisions().unwrap());
    let asked = Questions::parse(ITEMS.as_bytes()).unwrap();
    let sets: Vec<_> =
        (0..count).map(|number| other.put(&asked, &number.to_string()).unwrap().pending()).collect();
    let hall = Hall::resident(project, decisions, None);
    let forms = hall.open_forms();
    assert_eq!(forms.len(), count);
    hall.look();
    other.publish(&sets[3], &asked, Ending::Cancelled, Via::Terminal).unwrap();
    fault::fail(u64::MAX, Fault::Fails(Errno::IO));
    hall.look();
    let calls = fault::calls().len();
    fault::fail_no_more();
    for (number, form) in forms.iter().enumerate() {
        assert_eq!(form.ending().is_some(), number == 3);
    }
    calls
}

#[test]
fn a_look_after_a_change_costs_the_same_however_many_sets_were_shown() {
    assert_eq!(calls_of_look(40), calls_of_look(120));
}
