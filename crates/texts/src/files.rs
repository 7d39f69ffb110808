//! The words about files that are attached to answers, one table per language.

use crate::{Lang, fill, terminal_safe};

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
    separator: &'static str,
}

const ZH: FileTexts = FileTexts {
    no_such_item: "待定项 {item} 不接受附件",
    wrong_name: "只接受以下名称的文件: {names}",
    too_many: ["此项最多 1 个附件", "此项最多 {max} 个附件"],
    too_large: "文件过大，每个附件不能超过 {limit}",
    set_full: "附件过多，这组待定项的附件合计不能超过 {limit}",
    disk_full: "磁盘空间不足，附件未保存",
    changed: "附件刚刚有变动，请确认后重新提交",
    separator: "、",
};

const EN: FileTexts = FileTexts {
    no_such_item: "Question {item} does not ask for files",
    wrong_name: "Only files with these names are accepted: {names}",
    too_many: ["This question takes 1 file", "This question takes at most {max} files"],
    too_large: "The file is too large: at most {limit} each",
    set_full: "The files are too large: at most {limit} for all questions together",
    disk_full: "The disk is full; the file was not saved",
    changed: "The attached files have just changed; check them and submit again",
    separator: ", ",
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
