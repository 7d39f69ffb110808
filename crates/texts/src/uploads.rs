//! The words for files that are sent, by the page and over HTTP, one table per language.

use crate::{Lang, fill, size};

/// All words that only sending files needs.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct UploadTexts {
    pub attach: &'static str,
    /// One file, and several.
    choose: [&'static str; 2],
    pub attached: &'static str,
    pub remove: &'static str,
    pub cancel: &'static str,
    pub retry: &'static str,
    /// What a button does to a file, for those who hear the page: with `{name}`, as all that follows to `failed`.
    pub remove_file: &'static str,
    pub cancel_file: &'static str,
    pub retry_file: &'static str,
    pub uploading: &'static str,
    pub queued: &'static str,
    pub done: &'static str,
    pub removed: &'static str,
    pub cancelled: &'static str,
    /// With `{detail}` as well.
    pub failed: &'static str,
    pub unreachable: &'static str,
    pub still_uploading: &'static str,
    pub not_attached: &'static str,
    pub not_removed: &'static str,
    pub no_file: &'static str,
    pub not_there: &'static str,
    pub too_many_parts: &'static str,
    names: &'static str,
    each: &'static str,
    /// One file, so many of them, from so many to so many.
    number: [&'static str; 3],
    separator: &'static str,
    list_separator: &'static str,
}

const ZH: UploadTexts = UploadTexts {
    attach: "添加附件:",
    choose: ["选择文件，或拖放到此处", "选择文件，或拖放到此处"],
    attached: "附件",
    remove: "移除",
    cancel: "取消",
    retry: "重试",
    remove_file: "移除 {name}",
    cancel_file: "取消上传 {name}",
    retry_file: "重新上传 {name}",
    uploading: "正在上传 {name}",
    queued: "等待上传",
    done: "已添加 {name}",
    removed: "已移除 {name}",
    cancelled: "已取消上传 {name}",
    failed: "未添加 {name}：{detail}",
    unreachable: "无法连接，请重试",
    still_uploading: "文件仍在上传，请等待完成后再提交",
    not_attached: "文件未添加",
    not_removed: "文件未移除",
    no_file: "请求中没有文件",
    not_there: "没有这个文件",
    too_many_parts: "表单的部分过多",
    names: "名称为 {names}",
    each: "每个不超过 {size}",
    number: ["1 个文件", "{count} 个文件", "{least} 至 {most} 个文件"],
    separator: "，",
    list_separator: "、",
};

const EN: UploadTexts = UploadTexts {
    attach: "Attach:",
    choose: ["Choose a file, or drop it here", "Choose files, or drop them here"],
    attached: "Attached files",
    remove: "Remove",
    cancel: "Cancel",
    retry: "Try again",
    remove_file: "Remove {name}",
    cancel_file: "Cancel {name}",
    retry_file: "Try {name} again",
    uploading: "Uploading {name}",
    queued: "Waiting",
    done: "{name} is attached",
    removed: "{name} was removed",
    cancelled: "{name} was cancelled",
    failed: "{name} was not attached: {detail}",
    unreachable: "no connection; try again",
    still_uploading: "Files are still on their way; submit when they are attached",
    not_attached: "not attached",
    not_removed: "not removed",
    no_file: "there is no file in the request",
    not_there: "there is no such file",
    too_many_parts: "the form has too many parts",
    names: "named {names}",
    each: "at most {size} each",
    number: ["1 file", "{count} files", "{least} to {most} files"],
    separator: " · ",
    list_separator: ", ",
};

impl UploadTexts {
    /// What is asked for: how many files, of which names (any, where there are none), and how large each may be.
    pub fn asked(&self, least: usize, most: usize, names: &[String], max_bytes: u64) -> String {
        let [one, exactly, range] = self.number;
        let number = match (least, most) {
            (1, 1) => one.to_owned(),
            _ if least == most => fill(exactly, &[("count", &most.to_string())]),
            _ => fill(range, &[("least", &least.to_string()), ("most", &most.to_string())]),
        };
        let names =
            (!names.is_empty()).then(|| fill(self.names, &[("names", &names.join(self.list_separator))]));
        let each = fill(self.each, &[("size", &size(max_bytes))]);
        [Some(number), names, Some(each)].into_iter().flatten().collect::<Vec<_>>().join(self.separator)
    }

    /// What is to be done, where at most so many files are taken.
    pub fn choose(&self, most: usize) -> &'static str {
        let [one, several] = self.choose;
        if most == 1 { one } else { several }
    }
}

impl Lang {
    /// The words for files that are sent.
    pub fn uploads(self) -> &'static UploadTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lang;

    #[test]
    fn what_is_asked_for_is_said_in_both_languages() {
        let names = ["*.pdf".to_owned(), "logo.svg".to_owned()];
        let asked = |lang: Lang, least, most, names| lang.uploads().asked(least, most, names, 5_000_000);
        assert_eq!(
            asked(Lang::En, 1, 3, &names[..]),
            "1 to 3 files · named *.pdf, logo.svg · at most 5 MB each"
        );
        assert_eq!(asked(Lang::En, 1, 1, &[]), "1 file · at most 5 MB each");
        assert_eq!(asked(Lang::Zh, 2, 2, &names[..]), "2 个文件，名称为 *.pdf、logo.svg，每个不超过 5 MB");
    }
}
