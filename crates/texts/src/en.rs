//! English: the same sentences as in Chinese, one by one.

use crate::{is_incomplete, show};
use model::{Found, MAX_PICTURE, MAX_SAFE_INTEGER, Problem, Rule, SyntaxError};

pub(crate) fn problem(Problem { path, rule, found }: &Problem) -> String {
    let found = match found {
        Found::Missing => "but is missing".to_owned(),
        Found::Json(value) => format!("but is {}", show::json(value)),
    };
    match rule {
        Rule::InputIsObject => "the input must be an object".to_owned(),
        Rule::OutputIsObject => "the output must be an object".to_owned(),
        Rule::IsObject => format!("{path} must be an object, {found}"),
        Rule::IsString => format!("{path} must be a string, {found}"),
        Rule::NotBlank => format!("{path} must not be blank, {found}"),
        Rule::IsInteger => format!("{path} must be an integer, {found}"),
        Rule::IsPositive => format!("{path} must be a positive integer, {found}"),
        Rule::IsSafeInteger => format!("{path} must be at most {MAX_SAFE_INTEGER}, {found}"),
        Rule::IsFilledArray => format!("{path} must be an array with at least 1 element, {found}"),
        Rule::AtLeastTwoOptions { count } => format!("{path} needs at least 2 options, but has {count}"),
        Rule::IsKind => format!("{path} must be one of {}, {found}", show::kinds(", ")),
        Rule::OneOption { count } => format!("{path} needs exactly 1 option, but has {count}"),
        Rule::NotOfKind { kind } => format!("{path} is not allowed with kind: \"{}\"", kind.name()),
        Rule::IsFileName => format!("{path} must be a file name or a pattern, not a path, {found}"),
        Rule::IsPreview => format!("{path} must be a string, or an object with file, {found}"),
        Rule::IsPicture => format!(
            "{path} must be a PNG, JPEG, GIF or WebP picture of at most {} KiB as data:image/…;base64,…, {found}",
            MAX_PICTURE >> 10
        ),
        Rule::IsPictureFile => {
            format!("{path} must name a file that ends in .png, .jpg, .jpeg, .gif or .webp, {found}")
        }
        Rule::IsShort { most } => format!("{path} must have at most {most} bytes, {found}"),
        Rule::UniqueId { id } => format!("{path} repeats the id of another question: {id}"),
        Rule::UniqueValue { value } => {
            format!("{path} must be unique within its question, but repeats: {}", show::plain(value))
        }
        Rule::IsNumber => format!("{path} must be a number, {found}"),
        Rule::IsScore => format!("{path} must be from 0 to 100, {found}"),
        Rule::IsStringArray => format!("{path} must be an array of strings, {found}"),
        Rule::RecommendsAnOption { value } => {
            format!("{path} is {}, which is not one of the options", show::quoted(value))
        }
        Rule::EndsAfterStart { start } => format!("{path} must not be less than start ({start}), {found}"),
        Rule::IsBoolean => format!("{path} must be true or false, {found}"),
        Rule::NeedsMultiple => format!("{path} is only allowed with multiple: true"),
        Rule::IsBetween { least, most } => format!("{path} must be from {least} to {most}, {found}"),
        Rule::AnsweredOnce { id } => format!("question {id} is answered more than once"),
        Rule::ItemExists { id } => format!("there is no question {id}"),
        Rule::OptionExists { id, chosen } => {
            format!("question {id} has no such option: {}", show::plain(chosen))
        }
        Rule::ChosenOnce { id, chosen } => {
            format!("an option of question {id} is chosen more than once: {}", show::plain(chosen))
        }
        Rule::ChoiceCount { id, least, most, count } => {
            let plural = if *most == 1 { "" } else { "s" };
            format!("question {id} takes {} choice{plural}, but got {count}", show::range(*least, *most))
        }
        Rule::OtherOffered { id } => format!("question {id} accepts only its options"),
        Rule::AnsweredInWords { id } => {
            format!("question {id} has no options; give the answer as other")
        }
        Rule::OtherWritten { id } => format!("write your own answer to question {id}"),
        Rule::AnsweredByFiles { id } => {
            format!("question {id} is answered by the files attached to it, and by nothing else")
        }
        Rule::FileCount { id, least, most, count } => {
            let plural = if *most == 1 { "" } else { "s" };
            format!("question {id} takes {} file{plural}, but has {count}", show::range(*least, *most))
        }
        Rule::FilesAttached { id } => {
            format!("{path} must be the files attached to question {id}, or be left out")
        }
        Rule::FilesAsked { id } => format!("question {id} does not ask for files"),
        Rule::EveryItemAnswered { ids } => {
            let plural = if ids.len() == 1 { "" } else { "s" };
            format!("no decision for question{plural} {}", show::ids(ids))
        }
    }
}

pub(crate) const SEE_SCHEMA: &str = "run aide decide schema to see what each field must be";

pub(crate) fn remedy(problem: &Problem) -> Option<&'static str> {
    match problem.rule {
        Rule::AtLeastTwoOptions { .. } => Some("give every question at least 2 options"),
        Rule::OneOption { .. } => Some("give a question to be confirmed exactly 1 option"),
        Rule::RecommendsAnOption { .. } => Some("recommend must be the value of one of the options"),
        _ if is_incomplete(problem) => Some("check that all required fields are present and complete"),
        _ => None,
    }
}

pub(crate) fn slip(found: &str, meant: &str) -> String {
    format!("{found} is not a known field; did you mean {meant}?")
}

pub(crate) fn syntax(error: &SyntaxError) -> String {
    match error {
        SyntaxError::Empty => "the input is empty".to_owned(),
        SyntaxError::Utf16 => "it is UTF-16; save it as UTF-8".to_owned(),
        SyntaxError::NotUtf8 { offset } => format!("not valid UTF-8 from byte {}", offset + 1),
        SyntaxError::Conflict => {
            "it has a merge conflict; edit the file, or choose a version with git checkout --ours or --theirs"
                .to_owned()
        }
        SyntaxError::Json(error) => error.clone(),
    }
}
