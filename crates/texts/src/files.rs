//! The words about files that are attached to answers, one table per language.

use crate::{Lang, fill, terminal_safe};
use model::{Attachment, DecideItem};

/// Why a file is not attached, and what is said of those that are.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after what it says")]
pub struct FileTexts {
    /// With `{item}`.
    no_such_item: &'static str,
    /// With `{names}`.
    wrong_name: &'static str,
    /// One, and with `{max}` any other number.
    too_many: [&'static str; 2],
    /// With `{limit}`.
    too_large: &'static str,
    /// With `{limit}`.
    set_full: &'static str,
    pub disk_full: &'static str,
    pub changed: &'static str,
    /// What an item asks for: one file, and with `{range}` any other number.
    files: [&'static str; 2],
    /// With `{limit}`.
    each: &'static str,
    separator: &'static str,
    /// Between things of different kinds.
    between: &'static str,
}

const ZH: FileTexts = FileTexts {
    no_such_item: "待定项 {item} 不接受附件",
    wrong_name: "只接受以下名称的文件: {names}",
    too_many: ["此项最多 1 个附件", "此项最多 {max} 个附件"],
    too_large: "文件过大，每个附件不能超过 {limit}",
    set_full: "附件过多，这组待定项的附件合计不能超过 {limit}",
    disk_full: "磁盘空间不足，附件未保存",
    changed: "附件刚刚有变动，请确认后重新提交",
    files: ["1 个附件", "{range} 个附件"],
    each: "每个不超过 {limit}",
    separator: "、",
    between: "；",
};

const EN: FileTexts = FileTexts {
    no_such_item: "Question {item} does not ask for files",
    wrong_name: "Only files with these names are accepted: {names}",
    too_many: ["This question takes 1 file", "This question takes at most {max} files"],
    too_large: "The file is too large: at most {limit} each",
    set_full: "The files are too large: at most {limit} for all questions together",
    disk_full: "The disk is full; the file was not saved",
    changed: "The attached files have just changed; check them and submit again",
    files: ["1 file", "{range} files"],
    each: "at most {limit} each",
    separator: ", ",
    between: "; ",
};

impl Lang {
    /// The words about attached files.
    pub fn files(self) -> &'static FileTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}

impl FileTexts {
    /// What `item` asks for: how many files, of which names, and how large.
    pub fn asked(&self, item: &DecideItem) -> String {
        let (least, most) = item.file_bounds();
        let range = if least == most { least.to_string() } else { format!("{least}–{most}") };
        let [one, many] = self.files;
        let mut parts = vec![fill(if most == 1 { one } else { many }, &[("range", &range)])];
        if !item.names.is_empty() {
            parts.push(item.names.join(self.separator));
        }
        parts.push(fill(self.each, &[("limit", &size(item.largest_file()))]));
        parts.join(self.between)
    }

    /// Files by name and size.
    pub fn list(&self, files: &[Attachment]) -> String {
        let file = |file: &Attachment| format!("{} ({})", file.name, size(file.size));
        files.iter().map(file).collect::<Vec<_>>().join(self.separator)
    }

    /// No item of this id asks for files.
    pub fn no_such_item(&self, item: u64) -> String {
        fill(self.no_such_item, &[("item", &item.to_string())])
    }

    /// The item wants files of these names.
    pub fn wrong_name(&self, names: &[String]) -> String {
        fill(self.wrong_name, &[("names", &terminal_safe(&names.join(self.separator)))])
    }

    /// The item takes no more than `max` files.
    pub fn too_many(&self, max: usize) -> String {
        let [one, many] = self.too_many;
        fill(if max == 1 { one } else { many }, &[("max", &max.to_string())])
    }

    /// A file may have `limit` bytes.
    pub fn too_large(&self, limit: u64) -> String {
        fill(self.too_large, &[("limit", &size(limit))])
    }

    /// All files together may have `limit` bytes.
    pub fn set_full(&self, limit: u64) -> String {
        fill(self.set_full, &[("limit", &size(limit))])
    }
}

/// A file as a person reads it: its name, and its size in bytes.
pub fn named_file(name: &str, bytes: u64) -> String {
    format!("{name} ({})", size(bytes))
}

/// A number of bytes for people: exact where a unit fits, else to a tenth of one.
pub fn size(bytes: u64) -> String {
    const EXACT: [(u64, &str); 4] = [(1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1000, "kB")];
    for (unit, name) in EXACT {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{} {name}", bytes / unit);
        }
    }
    let (unit, name) = match bytes {
        0..1000 => return format!("{bytes} B"),
        // What would be rounded to 1000.0 of the smaller unit.
        1000..999_950 => (1000, "kB"),
        _ => (1_000_000, "MB"),
    };
    let tenths = (bytes + unit / 20) / (unit / 10);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::size;
    use crate::Lang::{En, Zh};
    use model::{Attachment, Questions};

    #[test]
    fn what_is_asked_and_why_it_was_refused() {
        let asked = |members: &str| {
            let item = format!("{{\"id\":3,\"title\":\"t\",\"kind\":\"files\"{members}}}");
            let text = format!("{{\"task\":\"t\",\"source\":\"s\",\"items\":[{item}]}}");
            let item = Questions::parse(text.as_bytes()).unwrap().input().items[0].clone();
            [Zh, En].map(|lang| lang.files().asked(&item))
        };
        assert_eq!(asked(""), ["1–10 个附件；每个不超过 64 MiB", "1–10 files; at most 64 MiB each"]);
        assert_eq!(
            asked(r#","max":1,"names":["*.pdf","a"],"max_bytes":1000000"#),
            ["1 个附件；*.pdf、a；每个不超过 1 MB", "1 file; *.pdf, a; at most 1 MB each"]
        );
        let file = |name: &str| Attachment { name: name.to_owned(), sha256: String::new(), size: 1 };
        assert_eq!(En.files().list(&[file("a"), file("b")]), "a (1 B), b (1 B)");
        for (zh, en, told) in [
            (Zh.files().no_such_item(3), En.files().no_such_item(3), "Question 3 does not ask for files"),
            (
                Zh.files().wrong_name(&["\u{1b}*".to_owned()]),
                En.files().wrong_name(&["\u{1b}*".to_owned()]),
                "Only files with these names are accepted: \\u{1b}*",
            ),
            (Zh.files().too_many(1), En.files().too_many(1), "This question takes 1 file"),
            (Zh.files().too_many(2), En.files().too_many(2), "This question takes at most 2 files"),
            (Zh.files().too_large(9), En.files().too_large(9), "The file is too large: at most 9 B each"),
            (
                Zh.files().set_full(1 << 26),
                En.files().set_full(1 << 26),
                "The files are too large: at most 64 MiB for all questions together",
            ),
        ] {
            assert_eq!(en, told);
            assert!(!zh.contains('{') || zh.contains("u{1b}"), "{zh}");
        }
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (1024, "1 KiB"),
            (1234, "1.2 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (5_000_000, "5 MB"),
            (67_108_864, "64 MiB"),
            (20_971_521, "21.0 MB"),
        ] {
            assert_eq!(size(bytes), shown, "{bytes}");
        }
    }
}
