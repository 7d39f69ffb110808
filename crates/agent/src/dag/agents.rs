//! Which agents a DAG names: who does a task, and who gets its outputs.

use protocol::agent::{FileRef, Id, Node, NodeOutput, TaskDag};

/// Returns who gets an output: those whom its task names, or else those of the first rule that fits (contract/plans §10.2).
/// `files` and `tag` are those of the message; without files, the DAG says which type they have.
pub(crate) fn targets<'d>(
    dag: &'d TaskDag,
    output: &'d NodeOutput,
    files: &[FileRef],
    tag: Option<&str>,
) -> Vec<&'d Id> {
    let named = if output.deliver_to.is_empty() {
        let stated = output.versioning.as_ref().and_then(|versioning| versioning.tag.as_deref());
        let tag = tag.or(stated);
        let has_type = |wanted: &str| {
            output.content_type.as_deref() == Some(wanted)
                || files.iter().any(|file| file.content_type.as_deref() == Some(wanted))
        };
        let rules = dag.routing_rules.iter().flatten();
        let mut fitting = rules.filter(|rule| {
            rule.matches.output_name.as_ref().is_none_or(|wanted| *wanted == output.name)
                && rule.matches.content_type.as_deref().is_none_or(has_type)
                && rule.matches.tag.as_deref().is_none_or(|wanted| tag == Some(wanted))
        });
        fitting.next().map_or(&[][..], |rule| &rule.deliver_to)
    } else {
        &output.deliver_to
    };
    let mut targets: Vec<&Id> = Vec::with_capacity(named.len());
    for target in named {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets
}

/// Returns who does a task, or does it again (contract/plans §11.3).
pub(crate) fn assignee(node: &Node, reexecutions: u64) -> &Id {
    let again = node.failure_policy.as_ref().and_then(|policy| policy.reexecute_target_agent_id.as_ref());
    again.filter(|_| reexecutions > 0).unwrap_or(&node.assigned_agent_id)
}
