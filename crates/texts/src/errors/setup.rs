//! The errors of `setup`.

use super::{Explain, Explanation};
use crate::Lang;
use files::FileError;
use setup::{Refusal, RefusalReason, SetupError};

impl Explain for SetupError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Refused(refused) => Explanation::new("没有写入任何文件，因为以下文件不能修改")
                .with_hint("处理以下各项后重试；--dry-run 只显示将作的修改")
                .with_lines(refused.iter().flat_map(|refusal| lines(refusal, Lang::Zh)).collect()),
            Self::NotApplied { error, left } => {
                let lines = left.iter().map(|path| format!("未能复原: {}", path.display()));
                Explanation { lines: lines.collect(), ..error.zh() }
            }
            Self::Records(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Refused(refused) => {
                Explanation::new("nothing was written, because these files cannot be changed")
                    .with_hint("fix the following, then try again; --dry-run only shows the changes")
                    .with_lines(refused.iter().flat_map(|refusal| lines(refusal, Lang::En)).collect())
            }
            Self::NotApplied { error, left } => {
                let lines = left.iter().map(|path| format!("could not be restored: {}", path.display()));
                Explanation { lines: lines.collect(), ..error.en() }
            }
            Self::Records(error) => error.en(),
        }
    }
}

/// The file with the reason, and what to do about it.
fn lines(Refusal { path, why }: &Refusal, lang: Lang) -> Vec<String> {
    let path = path.display();
    let (what, hint) = match lang {
        Lang::Zh => zh(why),
        Lang::En => en(why),
    };
    vec![format!("- {path}: {what}"), format!("  → {hint}")]
}

fn zh(why: &RefusalReason) -> (String, String) {
    match why {
        RefusalReason::Unparsable { message } => {
            (format!("无法解析: {message}"), "修正该文件，或移走它".to_owned())
        }
        RefusalReason::NotText => ("不是 UTF-8 文本".to_owned(), "将其转换为 UTF-8，或移走它".to_owned()),
        RefusalReason::LeadsOut { to } => (
            format!("经由符号链接指向别处: {}", to.display()),
            "以普通文件取代该链接，或在链接的目标处自行添加".to_owned(),
        ),
        RefusalReason::LeadsNowhere => {
            ("符号链接指向不存在的文件".to_owned(), "移除该链接，或创建其目标".to_owned())
        }
        RefusalReason::Foreign { what } => {
            (format!("其中的 aide 是另一个程序: {what}"), "为该条目改名，或移除它".to_owned())
        }
        RefusalReason::Unsuited => {
            ("其写法使 aide 的条目无法单独修改".to_owned(), "把各服务写成普通的对象或表".to_owned())
        }
        RefusalReason::Marks => {
            ("<!-- aide:begin --> 与 <!-- aide:end --> 不成对".to_owned(), "补全或移除这些标记".to_owned())
        }
        RefusalReason::File(error @ FileError::Newer { .. }) => {
            let Explanation { what, hint, .. } = error.zh();
            (what, hint.unwrap_or_default())
        }
        RefusalReason::File(error) => {
            // What else it would advise is about files of aide's own.
            let advice = "移走它，或修正其权限".to_owned();
            (error.zh().what, advice)
        }
    }
}

fn en(why: &RefusalReason) -> (String, String) {
    match why {
        RefusalReason::Unparsable { message } => {
            (format!("cannot be parsed: {message}"), "correct the file, or move it away".to_owned())
        }
        RefusalReason::NotText => ("not UTF-8".to_owned(), "convert it to UTF-8, or move it away".to_owned()),
        RefusalReason::LeadsOut { to } => (
            format!("a symlink leads elsewhere: {}", to.display()),
            "replace the link with a file, or add the entry there yourself".to_owned(),
        ),
        RefusalReason::LeadsNowhere => {
            ("a symlink to nothing".to_owned(), "remove the link, or create the file it leads to".to_owned())
        }
        RefusalReason::Foreign { what } => (
            format!("its entry aide starts another program: {what}"),
            "rename that entry, or remove it".to_owned(),
        ),
        RefusalReason::Unsuited => (
            "the entry of aide cannot be changed separately".to_owned(),
            "write the servers as an ordinary object or table".to_owned(),
        ),
        RefusalReason::Marks => (
            "<!-- aide:begin --> and <!-- aide:end --> do not match".to_owned(),
            "complete the markers, or remove them".to_owned(),
        ),
        RefusalReason::File(error @ FileError::Newer { .. }) => {
            let Explanation { what, hint, .. } = error.en();
            (what, hint.unwrap_or_default())
        }
        RefusalReason::File(error) => {
            (error.en().what, "move it away, or correct its permissions".to_owned())
        }
    }
}
