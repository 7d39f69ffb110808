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
mod ledger;
mod listing;
mod log;
mod look;
mod observe;
mod question_context;
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

pub use activate::{Activation, AuthoredPlan, InvalidFile, ReadOutcome, authored};
pub use assignment::{Assignment, Stage};
pub use collect::RELEASE_MANIFEST;
pub use documents::{ACTIVE_DAG_REF, Documents, PLAN_MANIFEST, PauseReason, TASK_DAG};
pub use error::PlanError;
pub use folders::{Folders, RUNTIME, agents_in, misplaced_in};
pub use listing::{DeliveryFilter, Listing, Window};
pub use log::DELIVERIES;
pub use observe::{PLAN_STATUS, PlanOverview};
pub use release::ReleaseReport;
pub use remove::RemovalOutcome;
pub use results::Artifact;
pub use retry::{RetryOrder, RetryOutcome};
pub use scaffold::{Scaffold, ScaffoldReport};
pub use steps::ISSUER;
pub use tick::{System, SystemPart, Tick};
pub use turn::PlanEvent;
