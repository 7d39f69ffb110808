//! Why no port could be held, in words. `texts` knows nothing of servers.

use super::Message;
use server::BindError;
use texts::{Explanation, Lang, reason};

/// What happened and what to do about it.
pub(crate) fn explain(error: &BindError, lang: Lang) -> Explanation {
    match error {
        BindError::Busy { first, last } => match lang {
            Lang::Zh if first == last => Explanation::new(format!("无法启动服务: 端口 {first} 已被占用")),
            Lang::Zh => Explanation::new(format!("无法启动服务: 端口 {first}-{last} 均被占用")),
            Lang::En if first == last => {
                Explanation::new(format!("cannot start the server: port {first} is in use"))
            }
            Lang::En => {
                Explanation::new(format!("cannot start the server: ports {first}-{last} are all in use"))
            }
        }
        .with_hint(match lang {
            Lang::Zh => "关闭占用端口的程序，或在配置中指定其他端口",
            Lang::En => "stop the programs that are using them, or configure another port",
        }),
        // The setting was checked before, and a bad one reported.
        BindError::BadHost { .. } => {
            Explanation::new(Message::Internal { words: error.to_string() }.render(lang))
        }
        BindError::Os { address, source } => {
            let reason = reason(lang, source);
            match lang {
                Lang::Zh => Explanation::new(format!("无法启动服务: 无法监听 {address}: {reason}"))
                    .with_hint("在配置中指定其他地址或端口"),
                Lang::En => {
                    Explanation::new(format!("cannot start the server: cannot listen on {address}: {reason}"))
                        .with_hint("configure another address or port")
                }
            }
        }
    }
}
