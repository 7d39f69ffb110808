//! What agents read: the skill, and the part of AGENTS.md.

/// The skill, as it is in the plugin.
pub const SKILL: &str = include_str!("../../../plugin/skills/aide/SKILL.md");

/// Between the marks in AGENTS.md.
pub(crate) const INSTRUCTIONS: &str = "\
## Decisions that belong to the user

Ask through `aide` when a choice belongs to the user: when options lead to different products, costs or data, when a step is hard
to undo, or when your instructions contradict each other. Collect all open questions and send them as one set, each with options
and their pros and cons: with the tool `decide_submit` of the MCP server `aide`, or in the shell with
`aide decide submit --detach --queue --json FILE` and then `aide decide wait SESSION --timeout 540 --json`. Follow `next` in the
tool's result. In the shell, follow `status`: on `pending`, wait again; on `answered`, follow `decisions`; on `returned`, follow
`message` and ask again; on any other, nothing was decided. Silence is not an answer. See the skill `aide` for more.";

/// Between the marks in CLAUDE.md.
pub(crate) const IMPORT: &str = "@AGENTS.md";
/// What is imported.
pub(crate) const IMPORTED: &str = "AGENTS.md";
