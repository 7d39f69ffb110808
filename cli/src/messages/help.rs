//! The texts of `--help`.

use super::FlowHelp;

/// One table per language. Names of fields follow the place where the text stands.
#[derive(Debug)]
pub(crate) struct Help {
    pub usage: &'static str,
    pub commands: &'static str,
    pub arguments: &'static str,
    pub options: &'static str,

    pub about: &'static str,
    pub aide_usage: &'static str,
    pub aide_after: &'static str,
    pub help_flag: &'static str,
    pub version_flag: &'static str,
    pub lang_flag: &'static str,

    pub init: &'static str,
    pub init_usage: &'static str,
    pub init_after: &'static str,

    pub config: &'static str,
    pub config_usage: &'static str,
    pub config_after: &'static str,
    pub config_key: &'static str,
    pub config_value: &'static str,
    pub config_user: &'static str,
    pub config_get: &'static str,
    pub config_get_usage: &'static str,
    pub config_get_after: &'static str,
    pub config_set: &'static str,
    pub config_set_usage: &'static str,
    pub config_set_after: &'static str,
    pub config_unset: &'static str,
    pub config_unset_usage: &'static str,
    pub config_unset_after: &'static str,
    pub config_list: &'static str,
    pub config_list_usage: &'static str,
    pub config_list_after: &'static str,
    pub config_path: &'static str,
    pub config_path_usage: &'static str,
    pub config_path_after: &'static str,
    pub config_get_json: &'static str,
    pub config_list_json: &'static str,
    pub config_path_user: &'static str,
    pub config_path_json: &'static str,

    pub trust: &'static str,
    pub trust_usage: &'static str,
    pub trust_after: &'static str,
    pub trust_show: &'static str,
    pub trust_revoke: &'static str,

    pub flow: FlowHelp,

    pub decide: &'static str,
    pub decide_usage: &'static str,
    pub decide_after: &'static str,

    pub submit: &'static str,
    pub submit_usage: &'static str,
    pub submit_after: &'static str,
    pub input: &'static str,
    pub port: &'static str,
    pub bind: &'static str,
    pub url: &'static str,
    pub auth: &'static str,
    pub timeout: &'static str,
    pub detach: &'static str,
    pub detach_json: &'static str,
    /// Of `wait` and `result`.
    pub json: &'static str,

    pub open: &'static str,
    pub open_usage: &'static str,
    pub open_after: &'static str,
    pub open_link: &'static str,

    pub answer: &'static str,
    pub answer_usage: &'static str,
    pub answer_after: &'static str,

    pub wait: &'static str,
    pub wait_usage: &'static str,
    pub wait_after: &'static str,
    pub wait_timeout: &'static str,
    pub notify: &'static str,
    pub wait_notify: &'static str,

    pub result: &'static str,
    pub result_usage: &'static str,
    pub result_after: &'static str,

    pub list: &'static str,
    pub list_usage: &'static str,
    pub list_after: &'static str,
    pub list_json: &'static str,

    pub show: &'static str,
    pub show_usage: &'static str,
    pub show_after: &'static str,
    pub session: &'static str,
    pub show_json: &'static str,

    pub export: &'static str,
    pub export_usage: &'static str,
    pub export_after: &'static str,
    pub format: &'static str,
    pub dir: &'static str,

    pub cancel: &'static str,
    pub cancel_usage: &'static str,
    pub cancel_after: &'static str,

    pub schema: &'static str,
    pub schema_usage: &'static str,
    pub schema_after: &'static str,
    pub schema_answers: &'static str,

    pub clean: &'static str,
    pub clean_usage: &'static str,
    pub clean_after: &'static str,
    pub keep: &'static str,
    pub older_than: &'static str,
    pub dry_run: &'static str,
    pub yes: &'static str,
    pub clean_json: &'static str,
}
