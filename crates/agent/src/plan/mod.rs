//! Carries out plans (contract/plans §10 to §14): delivers agents' messages along the DAG, issues commands once their tasks
//! can begin, asks people where only they can help, and records the progress.
//!
//! One process does this for a pair of folders at a time. All its state lies in files, so it can be killed at any moment: the
//! next process does once what it was about to do.

mod activate;
mod arrivals;
mod assignment;
mod collect;
mod deliver;
mod documents;
mod error;
mod facts;
mod folders;
mod human;
mod inject;
mod judged;
mod ledger;
mod listing;
mod log;
mod look;
mod observe;
mod quiet;
mod release;
mod remove;
mod replay;
mod results;
mod retry;
mod scaffold;
mod scan;
mod steps;
mod tick;
mod turn;
mod withdraw;

pub use activate::{Activated, Authored, Read, Wrong, authored};
pub use assignment::{Assignment, Stage};
pub use collect::{GATEWAY, RELEASE_MANIFEST};
pub use documents::{ACTIVE_DAG_REF, Documents, PLAN_MANIFEST, Paused, TASK_DAG};
pub use error::PlanError;
pub(crate) use folders::text;
pub use folders::{Folders, RUNTIME, agents_in, misplaced_in};
pub(crate) use human::{request_name, response_name, shortened};
pub(crate) use inject::{Gift, answer_name, envelope_of};
pub use listing::{DeliveryFilter, Listing, Window};
pub use log::DELIVERIES;
pub use observe::{PLAN_STATUS, Standing};
pub use release::Released;
pub use remove::Removed;
pub use results::Artifact;
pub use retry::{Retried, Wish};
pub use scaffold::{Scaffold, Scaffolded};
pub use steps::ISSUER;
pub use tick::{Parts, System, Tick};
pub use turn::Happened;
