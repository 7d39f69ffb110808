//! The words around what agents ask people, in both languages.

use crate::Lang;
use agent::human::Words;

/// The words of a language.
pub fn gateway_words(lang: Lang) -> &'static Words {
    match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    }
}

static ZH: Words = Words {
    task: |plan, task| match task {
        Some(task) => format!("计划 {plan} 的任务 {task} 需要您"),
        None => format!("计划 {plan} 需要您"),
    },
    file: |name| format!("请提供文件 {name}"),
    file_context: |sensitivity, agent| {
        let agent = agent.map_or_else(String::new, |agent| format!("文件将交给 `{agent}`。"));
        match sensitivity.filter(|it| *it != "UNKNOWN") {
            Some(sensitivity) => format!("{agent}敏感程度: {sensitivity}。"),
            None => agent,
        }
    },
    criterion: |key| format!("请说明标准: {key}"),
    anything: "请说明应当如何继续",
};

static EN: Words = Words {
    task: |plan, task| match task {
        Some(task) => format!("The task {task} of {plan} needs you"),
        None => format!("The plan {plan} needs you"),
    },
    file: |name| format!("Provide the file {name}"),
    file_context: |sensitivity, agent| {
        let agent = agent.map_or_else(String::new, |agent| format!("The file goes to `{agent}`. "));
        match sensitivity.filter(|it| *it != "UNKNOWN") {
            Some(sensitivity) => format!("{agent}Sensitivity: {sensitivity}."),
            None => agent.trim_end().to_owned(),
        }
    },
    criterion: |key| format!("Say what counts: {key}"),
    anything: "Say how to continue",
};
