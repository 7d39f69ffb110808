//! The skill that says when to ask and how, for clients that read skills from a server (SEP-2640).

use rmcp::model::{Resource, Skill, SkillFrontmatter, SkillResource, SkillResources};

/// Where it is.
pub(crate) const URI: &str = "skill://aide/SKILL.md";
/// Its text.
pub(crate) const TEXT: &str = include_str!("../../../plugin/skills/aide/SKILL.md");
pub(crate) const MARKDOWN: &str = "text/markdown";
const FENCE: &str = "---";

/// Returns the skill.
pub(crate) fn skill() -> Skill {
    let mut frontmatter = SkillFrontmatter::new("", "");
    for (name, value) in fields(TEXT) {
        match name {
            "name" => frontmatter.name = value.to_owned(),
            "description" => frontmatter.description = value.to_owned(),
            name => frontmatter = frontmatter.with_field(name, value),
        }
    }
    let files = vec![SkillResource::from_bytes(URI, TEXT.as_bytes())];
    Skill::new(URI, frontmatter, SkillResources::Files(files))
}

/// Returns it as a resource.
pub(crate) fn resource() -> Resource {
    let skill = skill();
    Resource::new(URI, skill.frontmatter.name)
        .with_title("How to ask with aide")
        .with_description(skill.frontmatter.description)
        .with_mime_type(MARKDOWN)
}

/// The fields at the beginning of a skill, each of which is one line of plain text.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().skip(1).take_while(|line| *line != FENCE);
    lines.filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::{FENCE, TEXT, fields, skill};

    #[test]
    fn the_skill_is_whole() {
        let skill = skill();
        assert!(skill.validate().is_ok());
        let lines: Vec<_> = TEXT.lines().skip(1).take_while(|line| *line != FENCE).collect();
        assert_eq!(fields(TEXT).count(), lines.len());
        for (line, (_, value)) in lines.iter().zip(fields(TEXT)) {
            // Anything else would be more than plain text in YAML.
            let is_plain = !value.contains(": ")
                && !value.contains(" #")
                && !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '%', '@']);
            assert!(line.starts_with(|c: char| c.is_ascii_lowercase()) && is_plain, "{line}");
        }
        assert_eq!(skill.name(), "aide");
        assert!(
            skill.frontmatter.description.starts_with("Ask the user")
                && skill.frontmatter.extra.len() == lines.len() - 2
        );
    }
}
