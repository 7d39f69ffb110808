//! The errors of `notice`.

use super::{Explain, Explanation, reason};
use crate::Lang;
use notice::Undelivered;

impl Explain for Undelivered {
    fn zh(&self) -> Explanation {
        Explanation::new(match self {
            Self::NoSecret { name } => format!("{name} 中没有所需的值"),
            Self::NotALink => "地址不是 http:// 或 https:// 链接".to_owned(),
            Self::Program { program, error } => format!("{program}: {}", reason(Lang::Zh, error)),
            Self::Failed { program, status } => format!("{program} 失败（{status}）"),
            Self::Unreachable { host, reason } => format!("无法连接 {host}: {reason}"),
            Self::Refused { host, status } => format!("{host} 拒绝了请求（{status}）"),
            Self::Unwanted => "待定项已经结束".to_owned(),
        })
    }

    fn en(&self) -> Explanation {
        Explanation::new(match self {
            Self::NoSecret { name } => format!("{name} does not hold the value that is needed"),
            Self::NotALink => "the address is not a link that begins with http:// or https://".to_owned(),
            Self::Program { program, error } => format!("{program}: {}", reason(Lang::En, error)),
            Self::Failed { program, status } => format!("{program} failed ({status})"),
            Self::Unreachable { host, reason } => format!("cannot reach {host}: {reason}"),
            Self::Refused { host, status } => format!("{host} refused the request ({status})"),
            Self::Unwanted => "the questions have ended".to_owned(),
        })
    }
}
