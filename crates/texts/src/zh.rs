//! 中文: a sentence for every broken rule. Agents read them: those for questions are a contract, to the letter.

use crate::{is_incomplete, show};
use model::{Found, MAX_PICTURE, MAX_SAFE_INTEGER, Problem, Rule, SyntaxError};

pub(crate) fn problem(Problem { path, rule, found }: &Problem) -> String {
    let found = match found {
        Found::Missing => "当前缺失".to_owned(),
        Found::Json(value) => format!("实际为 {}", show::json(value)),
    };
    match rule {
        Rule::InputIsObject => "输入数据必须为对象".to_owned(),
        Rule::OutputIsObject => "输出数据必须为对象".to_owned(),
        Rule::IsObject => format!("{path} 必须为对象，{found}"),
        Rule::IsString => format!("{path} 必须为字符串，{found}"),
        Rule::NotBlank => format!("{path} 不能为空，{found}"),
        Rule::IsInteger => format!("{path} 必须为整数，{found}"),
        Rule::IsPositive => format!("{path} 必须为正整数，{found}"),
        Rule::IsSafeInteger => format!("{path} 不能大于 {MAX_SAFE_INTEGER}，{found}"),
        Rule::IsFilledArray => format!("{path} 必须为至少 1 个元素的数组，{found}"),
        Rule::AtLeastTwoOptions { count } => format!("{path} 至少需要 2 个选项，当前只有 {count} 个"),
        Rule::IsKind => format!("{path} 必须为 {} 之一，{found}", show::kinds("、")),
        Rule::OneOption { count } => format!("{path} 需要恰好 1 个选项，当前有 {count} 个"),
        Rule::NotOfKind { kind } => format!("{path} 不能与 kind: \"{}\" 一起使用", kind.name()),
        Rule::IsFileName => format!("{path} 必须为文件名或通配模式，不能是路径，{found}"),
        Rule::IsPreview => format!("{path} 必须为字符串，或含 file 的对象，{found}"),
        Rule::IsPicture => format!(
            "{path} 必须为 data:image/…;base64,… 形式的 PNG、JPEG、GIF 或 WebP 图片，最大 {} KiB，{found}",
            MAX_PICTURE >> 10
        ),
        Rule::IsPictureFile => {
            format!("{path} 必须为以 .png、.jpg、.jpeg、.gif 或 .webp 结尾的文件，{found}")
        }
        Rule::IsShort { most } => format!("{path} 最多 {most} 字节，{found}"),
        Rule::UniqueId { id } => format!("{path} 与已有待定项重复: {id}"),
        Rule::UniqueValue { value } => {
            format!("{path} 在当前待定项中必须唯一，重复值: {}", show::plain(value))
        }
        Rule::IsNumber => format!("{path} 必须为数字，{found}"),
        Rule::IsScore => format!("{path} 必须在 0-100 范围内，{found}"),
        Rule::IsStringArray => format!("{path} 必须为字符串数组，{found}"),
        Rule::RecommendsAnOption { value } => format!("{path} 值 {} 不在 options 中", show::quoted(value)),
        Rule::EndsAfterStart { start } => format!("{path} 不能小于 start（{start}），{found}"),
        Rule::IsBoolean => format!("{path} 必须为 true 或 false，{found}"),
        Rule::NeedsMultiple => format!("{path} 只能与 multiple: true 一起使用"),
        Rule::IsBetween { least, most } => format!("{path} 必须在 {least}-{most} 范围内，{found}"),
        Rule::AnsweredOnce { id } => format!("待定项 {id} 的决策重复"),
        Rule::ItemExists { id } => format!("存在未知的待定项 {id}"),
        Rule::OptionExists { id, chosen } => {
            format!("待定项 {id} 的决策值无效: {}", show::plain(chosen))
        }
        Rule::ChosenOnce { id, chosen } => {
            format!("待定项 {id} 的决策值重复: {}", show::plain(chosen))
        }
        Rule::ChoiceCount { id, least, most, count } => {
            format!("待定项 {id} 需要选择 {} 项，实际为 {count} 项", show::range(*least, *most))
        }
        Rule::OtherOffered { id } => format!("待定项 {id} 不接受其他答案"),
        Rule::AnsweredInWords { id } => format!("待定项 {id} 没有选项，请在 other 中填写答案"),
        Rule::OtherWritten { id } => format!("请填写待定项 {id} 的其他答案"),
        Rule::AnsweredByFiles { id } => format!("待定项 {id} 只能以附件作答"),
        Rule::FileCount { id, least, most, count } => {
            format!("待定项 {id} 需要 {} 个附件，当前有 {count} 个", show::range(*least, *most))
        }
        Rule::FilesAttached { id } => format!("{path} 必须与待定项 {id} 已有的附件一致，也可省略"),
        Rule::FilesAsked { id } => format!("待定项 {id} 不接受附件"),
        Rule::EveryItemAnswered { ids } => format!("缺少待定项 {} 的决策", show::ids(ids)),
    }
}

pub(crate) const SEE_SCHEMA: &str = "执行 aide decide schema 查看各字段的要求";

pub(crate) fn remedy(problem: &Problem) -> Option<&'static str> {
    match problem.rule {
        Rule::AtLeastTwoOptions { .. } => Some("为每个待定项提供至少 2 个可选方案"),
        Rule::OneOption { .. } => Some("为需要确认的待定项只提供 1 个选项"),
        Rule::RecommendsAnOption { .. } => Some("recommend 必须是 options 中某个选项的 value"),
        _ if is_incomplete(problem) => Some("检查必填字段是否完整"),
        _ => None,
    }
}

pub(crate) fn slip(found: &str, meant: &str) -> String {
    format!("{found} 不是已知字段，是否要用 {meant}？")
}

pub(crate) fn syntax(error: &SyntaxError) -> String {
    match error {
        SyntaxError::Empty => "输入为空".to_owned(),
        SyntaxError::Utf16 => "编码为 UTF-16，请保存为 UTF-8".to_owned(),
        SyntaxError::NotUtf8 { offset } => format!("不是有效的 UTF-8，从第 {} 个字节起", offset + 1),
        SyntaxError::Conflict => {
            "有合并冲突，请编辑该文件，或用 git checkout --ours / --theirs 选择一个版本".to_owned()
        }
        SyntaxError::Json(error) => error.clone(),
    }
}
