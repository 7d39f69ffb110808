//! Messages from templates (contract/plans §8.5): literal, in one pass.

/// Puts the values in the place of `{name}`. What a value says is not looked at again, and an unknown name stays as it is.
pub fn render(template: &str, values: &[(&str, &str)]) -> String {
    let mut rendered = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        rendered.push_str(&rest[..start]);
        rest = &rest[start..];
        let value = values.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        match value {
            Some((value, after)) => {
                rendered.push_str(value);
                rest = after;
            }
            None => {
                rendered.push('{');
                rest = &rest[1..];
            }
        }
    }
    rendered.push_str(rest);
    rendered
}

/// Whether a template asks for `{name}`.
pub(crate) fn mentions(template: &str, name: &str) -> bool {
    template.contains(&format!("{{{name}}}"))
}

#[cfg(test)]
mod tests {
    use super::render;

    proptest::proptest! {
        #[test]
        fn s8_5_without_names_a_template_is_its_own_message(template in "[^{}]*", value in ".*") {
            assert_eq!(render(&template, &[("result", &value)]), template);
            assert_eq!(render(&format!("{template}{{result}}"), &[("result", &value)]), format!("{template}{value}"));
        }
    }

    #[test]
    fn s8_5_a_template_is_literal_and_rendered_once() {
        let values = [("result", "good {score} {result}"), ("score", "85")];
        for (template, rendered) in [
            (
                "评估已完成，结果: {result}, 分数: {score}",
                "评估已完成，结果: good {score} {result}, 分数: 85",
            ),
            ("{other} {resul} {result", "{other} {resul} {result"),
            ("{{score}}", "{85}"),
            ("{score}{score}", "8585"),
            ("{ score }", "{ score }"),
            ("{", "{"),
            ("", ""),
        ] {
            assert_eq!(render(template, &values), rendered, "{template}");
        }
    }
}
