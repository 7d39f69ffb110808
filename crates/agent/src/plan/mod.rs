//! Carries out plans (contract/plans §10 to §14): delivers agents' messages along the DAG, issues commands once their tasks
//! can begin, asks people where only they can help, and records the progress.
//!
//! One process does this for a pair of folders at a time. All its state lies in files, so it can be killed at any moment: the
//! next process does once what it was about to do.
//!
//! # A message is delivered
//!
//! One process at a time carries plans out (`agent::plan::System`, held by `router.lock`): `aide plan run`, or `tick` for one
//! pass. A pass over a plan does the following. Everything that it knows is in files, so the next pass repairs the effects of a
//! kill anywhere:
//!
//! 1. `ChangeDetector` compares the folders with those of the last pass. If nothing has changed, the pass ends here.
//! 2. `scan` looks through the outboxes for reports of agents, and `collect` archives them: requests, responses, decisions,
//!    releases, acknowledgements, alerts. Each leaves its outbox when it is settled; a refused one goes to `.deadletter/`.
//!    Messages are looked for after that (`Scan::messages`), because an agent that reports a task as done has sent its results.
//! 3. `documents` reads DAG, manifest and the commands as their author wrote them; an invalid DAG pauses its plan and no other.
//! 4. `Sources::gather` makes `Facts` of archive, deliveries, states and acknowledgements; `dag::progress` determines how far
//!    each task is and why, `routing::decide` what happens to a message. Both are pure. `Turn::act` does it: payload first,
//!    envelope last, then the line in `deliveries.jsonl`, then `.sent/`. The recent part of that log is in memory
//!    (`plan/ledger.rs`); of older lines, memory holds a fingerprint, and they are read again when their message or its content
//!    appears again, or when a command asks which files an agent has (`plan/arrivals.rs`).
//! 5. `dag::steps` determines which commands can be issued now and which questions asked. The issuer writes them into its own
//!    outbox like any agent, and they are delivered in the same pass.
//! 6. The monitor (`observe`) writes `plan_status.json` if its content has changed.
//!
//! Memory does not grow with the number of settled messages.
//!
//! A request to a person goes to the folder of `agent_human_gateway`. `Gateway::tick` turns the request into questions
//! (`human/questions.rs`, asked by `Decisions::put` under a key of the request, so only once), and their end into a response
//! (`human/response.rs`). The next pass injects the files, or the answer itself, into the inbox of the waiting agent
//! (`plan/inject.rs`). Questions for which no task waits any more are withdrawn (`plan/withdraw.rs`). An agent also asks by
//! itself (`execution/direct.rs`), under the same key, and takes the answer as the same message, so that the answer counts once.
//!
//! Commands and pages that only show plans take no lock and write nothing (`plan/look.rs`, `plan/listing.rs`): `aide plan
//! status`, the pages below `/plans` (`app/src/page/plans`) and `/api/plans` (`server/src/endpoints/plans`). A page asks for its
//! version, the identities of the files that it shows, and is fetched again when that has changed. Every server has these pages;
//! the server of `aide plan serve` (`cli/src/host/resident.rs`) has no questions with which it ends. If another server is already
//! registered, it serves on a port of its own and registers once that one has ended.
//!
//! `aide plan run` runs the heartbeat of each agent on a thread of its own (`cli/src/commands/plan/run/crew.rs`); its display is
//! computed from the events and the status (`view.rs`).

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
