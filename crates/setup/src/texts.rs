//! What agents read: the skill, and the part of AGENTS.md.

/// The skill, as it is in the plugin.
pub const SKILL: &str = include_str!("../../../plugin/skills/aide/SKILL.md");

/// Between the marks in AGENTS.md.
pub(crate) const INSTRUCTIONS: &str = "\
## Decisions that belong to the user

Ask through `aide` when a choice is the user's: when ways lead to different products, costs or data, when something is hard to
undo, or when what you were told is contradictory. Collect the open questions and send them as one set, each with options and
what speaks for and against them: with the tool `decide_submit` of the MCP server `aide`, or in the shell with
`aide decide submit --detach --queue --json FILE` and then `aide decide wait SESSION --timeout 540 --json`. Do what `next` in
the tool's result says; in the shell, `status` says it: at `pending` wait again, at `answered` follow `decisions`, at `returned`
do as `message` says and ask again, at any other nothing was decided. Silence is not an answer. The skill `aide` says more.";

/// Between the marks in CLAUDE.md.
pub(crate) const IMPORT: &str = "@AGENTS.md";
/// What is imported.
pub(crate) const IMPORTED: &str = "AGENTS.md";
