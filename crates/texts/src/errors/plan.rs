//! Why something could not be done for plans.

use super::agent::{holder_en, holder_zh};
use super::{Explain, Explanation};
use agent::gateway::GatewayError;
use agent::plan::PlanError;

impl Explain for PlanError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Missing { path } => Explanation::new(format!("不存在: {}", path.display())),
            Self::Held { path, holder } => {
                Explanation::new(format!("{} 正由{}使用", path.display(), holder_zh(holder)))
                    .with_hint("同时只能有一个程序推进计划；等待或结束它后重试")
            }
            Self::UnknownPlan(plan) => Explanation::new(format!("没有此计划: {plan}")),
            Self::Invalid { path, error } => {
                let mut explanation = error.zh();
                explanation.what = format!("{}: {}", path.display(), explanation.what);
                explanation
            }
            Self::Folder(error) => error.zh(),
            Self::Json(error) => Explanation::new(format!("无法写成 JSON: {error}")),
            Self::File(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Missing { path } => Explanation::new(format!("does not exist: {}", path.display())),
            Self::Held { path, holder } => {
                Explanation::new(format!("{} is in use by {}", path.display(), holder_en(holder))).with_hint(
                    "only one program at a time may execute plans; wait for it to finish, or stop it, then try again",
                )
            }
            Self::UnknownPlan(plan) => Explanation::new(format!("no such plan: {plan}")),
            Self::Invalid { path, error } => {
                let mut explanation = error.en();
                explanation.what = format!("{}: {}", path.display(), explanation.what);
                explanation
            }
            Self::Folder(error) => error.en(),
            Self::Json(error) => Explanation::new(format!("cannot be written as JSON: {error}")),
            Self::File(error) => error.en(),
        }
    }
}

impl Explain for GatewayError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Store(error) => error.zh(),
            Self::File(error) => error.zh(),
            Self::Plan(error) => error.zh(),
            Self::Json(error) => Explanation::new(format!("无法写成 JSON: {error}")),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Store(error) => error.en(),
            Self::File(error) => error.en(),
            Self::Plan(error) => error.en(),
            Self::Json(error) => Explanation::new(format!("cannot be written as JSON: {error}")),
        }
    }
}
