//! The words of `aide decide --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "请用户在网页上决策，并获取结果",
    usage: "aide decide [选项] <子命令>",
    after: "\
先在项目中执行一次 aide init，然后提交待定项，等待答案:

  aide init

  aide decide submit --detach '{\"task\": \"实现用户认证\", \"source\": \"task.md\", \"items\": [
    {\"id\": 1, \"title\": \"认证方式选择\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\"}, {\"value\": \"session\", \"label\": \"Session\"}]}]}'
  aide decide wait 2025-01-15T10-30-00 --timeout 540

submit 输出访问链接与会话: 请将链接告知用户，并用该会话执行 wait。wait 输出答案，退出码
为 0:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"}]}
退出码为 75 表示尚无答案，请再次执行 wait；为 1 表示不会有答案，标准错误输出给出原因与
建议。

待定项也可以写在文件中: aide decide submit --detach ./questions.json
不用 --detach 时 submit 自己等待，之后用 aide decide result 获取结果。
aide decide schema 输出待定项的全部字段。
aide decide '<json>' 等同于 aide decide submit '<json>'。",
};

pub(super) static EN: Help = Help {
    about: "Let the user decide on a web page, and get the result",
    usage: "aide decide [OPTIONS] <COMMAND>",
    after: "\
Run aide init once in the project. Then ask, and wait for the answer:

  aide init

  aide decide submit --detach '{\"task\": \"Add user login\", \"source\": \"task.md\", \"items\": [
    {\"id\": 1, \"title\": \"Which kind of login?\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\"}, {\"value\": \"session\", \"label\": \"Session\"}]}]}'
  aide decide wait 2025-01-15T10-30-00 --timeout 540

submit prints a link and, at the end, its session: show the link to the user, and
give the session to wait. wait prints the answer and exits with 0:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"}]}
Exit code 75 means that there is no answer yet: run wait again. 1 means that there will
be none; standard error gives the reason and what to do.

Questions can come from a file as well: aide decide submit --detach ./questions.json
Without --detach, submit itself waits, and aide decide result then prints the answer.
aide decide schema prints all fields of a question.
aide decide '<json>' is the same as aide decide submit '<json>'.",
};
