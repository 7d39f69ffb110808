//! What went wrong in a program with the same contract, and by which tests it would be noticed here.

use crate::support::{Coverage, assert_tests_exist};

/// What went wrong, and the tests, each with its file in the work tree. Two could not happen here: B-5 needs a timer in the
/// command that starts the daemon, B-25 sessions that no person has begun.
const LESSONS: &[Coverage] = &[
    (
        "B-1: daemon and commands each have ports of their own",
        &[
            ("cli/tests/it/daemon.rs", "both_names_of_the_program_mean_the_same_daemon"),
            ("cli/tests/it/workflow.rs", "a_daemon_is_found_by_the_addresses_of_flags_and_variables"),
        ],
    ),
    (
        "B-2: whoever holds the port is killed",
        &[("cli/tests/it/daemon.rs", "a_port_that_is_taken_is_named_and_nobody_is_harmed")],
    ),
    (
        "B-3: the stop forgets a process that goes on",
        &[
            ("cli/tests/it/daemon.rs", "it_is_started_found_and_stopped"),
            ("cli/tests/it/daemon.rs", "one_that_does_not_end_by_itself_is_ended"),
        ],
    ),
    (
        "B-4: a start that failed says that it runs",
        &[("cli/tests/it/daemon.rs", "a_journal_that_cannot_be_read_is_told_and_left_alone")],
    ),
    (
        "B-6: two are started, or one before the ports are free",
        &[
            ("cli/tests/it/daemon.rs", "of_many_that_are_started_at_once_one_runs"),
            ("cli/tests/it/daemon.rs", "restart_is_another_one_with_the_same_state"),
        ],
    ),
    (
        "B-7: a file is written in part, or by two at a time",
        &[
            ("crates/journal/tests/it/durable.rs", "changes_that_were_written_in_part_are_undone"),
            ("crates/journal/tests/it/together.rs", "of_many_who_change_a_row_one_wins_each_time"),
        ],
    ),
    ("B-8: one route hides another", &[("server/tests/it/api.rs", "no_route_hides_another")]),
    (
        "B-9: a route that answers without a result",
        &[
            ("server/tests/it/api.rs", "every_row_of_the_table_is_served_and_nothing_else"),
            ("cli/tests/it/stages.rs", "what_one_phase_prints_as_json_goes_into_the_next"),
        ],
    ),
    (
        "B-10: the workflow has another id than the one that was returned",
        &[("cli/tests/it/workflow.rs", "a_workflow_is_begun_seen_steered_and_ended")],
    ),
    (
        "B-11: a message to nobody is taken",
        &[("server/tests/it/api.rs", "what_is_wrong_is_said_in_the_words_of_the_contract")],
    ),
    (
        "B-12: what is sent again is done again",
        &[
            ("server/tests/it/api.rs", "a_request_with_a_key_is_done_once"),
            ("cli/tests/it/workflow.rs", "a_request_that_breaks_off_is_done_once"),
        ],
    ),
    (
        "B-13: a subscription takes the place of the one before",
        &[("server/tests/it/sockets.rs", "entries_are_added_and_removed")],
    ),
    (
        "B-14: one fact is told as several events, or by nobody",
        &[
            ("cli/tests/it/engine.rs", "the_same_run_is_told_to_everybody_in_the_same_order"),
            ("server/tests/it/sockets.rs", "what_happens_is_told_as_the_document_has_it"),
            ("server/tests/it/sockets.rs", "whoever_comes_and_goes_has_every_event_once"),
        ],
    ),
    (
        "B-15: what comes in a pause ends the pause",
        &[
            ("crates/workflow/tests/it/driving.rs", "a_pause_keeps_what_runs_and_begins_nothing"),
            ("crates/workflow/tests/it/pauses.rs", "only_what_has_come_in_is_judged_when_a_pause_is_over"),
        ],
    ),
    (
        "B-16: two truths about one workflow",
        &[("server/tests/it/api.rs", "a_client_drives_a_workflow_to_its_end")],
    ),
    (
        "B-17: a pause returns to a guess, and what was refused leaves something behind",
        &[
            ("crates/workflow/tests/it/driving.rs", "a_pause_returns_to_every_phase_it_was_made_in"),
            ("crates/workflow/tests/it/driving.rs", "what_is_refused_leaves_nothing_behind"),
        ],
    ),
    (
        "B-18: what needs something never begins",
        &[
            ("crates/workflow/tests/it/driving.rs", "a_task_begins_when_all_that_it_needs_is_done"),
            (
                "crates/workflow/tests/it/checkpoints.rs",
                "a_killed_daemon_leaves_sessions_that_can_be_gone_on_with",
            ),
        ],
    ),
    (
        "B-19: what a person says is lost",
        &[(
            "crates/workflow/tests/it/engine.rs",
            "what_a_person_says_meanwhile_is_used_once_by_the_next_prompt",
        )],
    ),
    (
        "B-20: an agent is asked for ever",
        &[
            ("crates/workflow/tests/it/engine.rs", "an_agent_that_gets_nowhere_is_stopped"),
            ("crates/workflow/tests/it/misbehaviour.rs", "whatever_an_agent_writes_comes_to_an_end"),
        ],
    ),
    (
        "B-21: all tasks go to one agent, and what waits is forgotten",
        &[
            (
                "crates/workflow/tests/it/limits.rs",
                "s6_1_three_executors_work_at_a_time_and_five_agents_in_all",
            ),
            (
                "crates/workflow/tests/it/engine.rs",
                "tasks_that_do_not_need_each_other_run_at_the_same_time_and_nobody_does_two",
            ),
        ],
    ),
    (
        "B-22: a task that is done has failed because its rounds are over",
        &[(
            "crates/workflow/tests/it/misbehaviour.rs",
            "whatever_an_agent_does_for_its_task_comes_to_an_end",
        )],
    ),
    (
        "B-23: a new task goes on with the work of an old one",
        &[(
            "crates/workflow/tests/it/checkpoints.rs",
            "of_several_workflows_of_a_session_each_is_gone_on_with",
        )],
    ),
    (
        "B-24: the latest checkpoint is not the latest, or none",
        &[
            ("crates/workflow/tests/it/checkpoints.rs", "the_ten_latest_checkpoints_of_a_workflow_stay"),
            (
                "crates/workflow/tests/it/checkpoints.rs",
                "an_earlier_checkpoint_is_gone_back_to_with_its_tasks",
            ),
        ],
    ),
    (
        "B-26: one dispatch makes two messages",
        &[
            ("crates/workflow/tests/it/messages.rs", "a_message_that_comes_again_is_taken_once"),
            (
                "crates/workflow/tests/it/folders.rs",
                "s6_5_whoever_goes_on_after_a_kill_waits_for_the_same_dispatch",
            ),
        ],
    ),
];

#[test]
fn what_went_wrong_elsewhere_would_be_noticed_here() {
    assert_tests_exist(LESSONS);
}
