//! What the machines do and who is asked what (contract/workflows §5, §6), row by row and rule by rule, and the tests that would
//! fail if it were otherwise. Where something is meant to be different here, the row says so.

use crate::support::{Coverage, assert_tests_exist};

/// The tables of the machines, each read whole by one test.
const MACHINES: &str = "crates/model/tests/it/workflow.rs";
const PHASE_TABLE: &str = "crates/core/tests/table.rs";
const AGREED: &str = "crates/workflow/tests/it/agreed.rs";
const CHECKPOINTS: &str = "crates/workflow/tests/it/checkpoints.rs";
const DRIVING: &str = "crates/workflow/tests/it/driving.rs";
const ENGINE: &str = "crates/workflow/tests/it/engine.rs";
const FOLDERS: &str = "crates/workflow/tests/it/folders.rs";
const IMAGES: &str = "crates/workflow/tests/it/images.rs";
const LIMITS: &str = "crates/workflow/tests/it/limits.rs";
const MESSAGES: &str = "crates/workflow/tests/it/messages.rs";
const MISBEHAVIOUR: &str = "crates/workflow/tests/it/misbehaviour.rs";
const PAUSES: &str = "crates/workflow/tests/it/pauses.rs";
const PHASES: &str = "crates/workflow/tests/it/phases.rs";
const SEQUENCES: &str = "crates/workflow/tests/it/sequences.rs";
const STAGES: &str = "crates/workflow/tests/it/stages.rs";
const STEERED: &str = "crates/workflow/tests/it/steered.rs";
const STEPS: &str = "crates/workflow/tests/it/steps.rs";
const TASKS: &str = "crates/workflow/tests/it/tasks.rs";
const TOOLS: &str = "crates/workflow/tests/it/tools.rs";
const TOOL_MISBEHAVIOUR: &str = "crates/workflow/tests/it/tool_misbehaviour.rs";
const PLAN: &str = "crates/workflow/src/engine/plan.rs";
const POLICY: &str = "crates/workflow/src/engine/policy.rs";
const QUEUE: &str = "crates/workflow/src/engine/queue.rs";
const REQUIREMENT: &str = "crates/core/src/requirement.rs";
const PROPOSAL: &str = "crates/workflow/src/engine/proposal.rs";
const TOOL: &str = "crates/model/src/workflow/tool.rs";

/// One row of a table that this test reads whole.
const TABLE: (&str, &str) = (PHASE_TABLE, "every_row_of_the_workflow_table_holds");
const NOTHING_ELSE: (&str, &str) = (PHASE_TABLE, "nothing_else_happens_to_a_workflow");
const DRIVEN: (&str, &str) = (DRIVING, "a_workflow_is_driven_from_the_beginning_to_the_end");
const EXAMPLE: (&str, &str) = (ENGINE, "the_documents_example_runs_to_its_end");
const TASK_TABLE: (&str, &str) = (MACHINES, "every_row_of_the_task_table_holds_and_no_other");
const AGENT_TABLE: (&str, &str) = (MACHINES, "every_row_of_the_agent_table_holds_and_no_other");
const WORDS: (&str, &str) = (MACHINES, "states_have_the_words_of_the_document");
const ROUTES: (&str, &str) = (PHASES, "s6_3_a_router_leads_where_the_rules_say");
const ANSWERED: (&str, &str) = (PHASES, "s6_3_whoever_is_asked_by_the_router_leads_on");
const REPLANNED: (&str, &str) = (PHASES, "s6_3_a_plan_that_is_looked_at_again_is_kept_or_made_anew");
const GIVEN: (&str, &str) = (PHASES, "s6_3_each_agent_is_given_what_it_needs_and_may_do_what_its_phase_has");
const ASKED_AGAIN: (&str, &str) =
    (PHASES, "s6_3_an_answer_that_belongs_to_no_phase_or_lacks_what_it_must_have_is_asked_for_again");
const USUAL: (&str, &str) = (LIMITS, "s6_1_the_usual_agents_are_those_of_the_document");
const DEFAULTS: (&str, &str) = (LIMITS, "s6_1_the_limits_are_those_of_the_document");
const ABLE: (&str, &str) =
    (LIMITS, "s6_1_a_task_is_given_to_whoever_has_all_its_capabilities_and_of_those_to_the_best");
const FORMS: (&str, &str) = (PROPOSAL, "s6_2_each_tolerated_form_alone_is_enough");
const EVERY_TOOL: (&str, &str) =
    (STEPS, "s6_4_every_tool_is_used_with_its_parameters_and_what_it_returns_is_shown");
const PARAMETERS: (&str, &str) = (TOOL, "s6_4_each_tool_has_the_parameters_of_the_document");
const NO_PLAN: (&str, &str) = (MISBEHAVIOUR, "no_plan_that_is_none_is_carried_out");
const NO_SUCH_PLAN: (&str, &str) = (PLAN, "what_cannot_be_done_is_no_plan");
const SAID: (&str, &str) = (DRIVING, "what_is_said_is_the_answer_or_is_kept_for_what_comes");
const SOFT: (&str, &str) = (PAUSES, "s5_4_a_soft_pause_lets_what_runs_end_and_begins_nothing");

/// contract/workflows §5.1 to §5.3. One test reads the table of the workflow row by row; the tests that are named here see each
/// row happen.
const WORKFLOWS: &[Coverage] = &[
    ("5.1: the eleven states", &[(MACHINES, "s5_1_states_and_triggers_have_their_names")]),
    ("5.2: the eighteen triggers", &[(MACHINES, "s5_1_states_and_triggers_have_their_names")]),
    ("5.3: idle, user_input_received → semantic_understanding", &[TABLE, DRIVEN]),
    ("5.3: semantic_understanding, intent_analyzed → routing_decision", &[TABLE, DRIVEN]),
    (
        "5.3: routing_decision, routing_decided, full_replan, minor_replan or none → plan_loop",
        &[TABLE, ROUTES],
    ),
    ("5.3: routing_decision, routing_decided, continue_execution → execution", &[TABLE, ROUTES]),
    (
        "5.3: routing_decision, routing_decided, wait_user_decision or new_task → wait_user_decision",
        &[TABLE, ROUTES],
    ),
    ("5.3: plan_loop, plan_created → execution", &[TABLE, DRIVEN]),
    (
        "5.3: execution, task_completed → review, when all tasks have ended or there is no list of them",
        &[TABLE, DRIVEN, (TASKS, "a_list_may_stand_in_any_order")],
    ),
    ("5.3: execution, major_change_detected → replan_evaluation", &[TABLE, REPLANNED]),
    ("5.3: replan_evaluation, routing_decided → plan_loop or execution", &[TABLE, REPLANNED]),
    ("5.3: review, review_rejected → execution", &[TABLE, DRIVEN]),
    ("5.3: review, review_passed → completed", &[TABLE, DRIVEN]),
    (
        "5.3: wait_user_decision, user_decision_received → where the decision leads, routing_decision else",
        &[TABLE, ANSWERED],
    ),
    (
        "5.3: pause_requested → paused, from each of the eight states that neither have ended nor are paused",
        &[TABLE, (DRIVING, "a_pause_returns_to_every_phase_it_was_made_in")],
    ),
    (
        "5.3: paused, resume_requested → the state before",
        &[
            TABLE,
            (DRIVING, "a_pause_returns_to_every_phase_it_was_made_in"),
            (PHASE_TABLE, "a_pause_that_nobody_remembers_is_not_ended"),
        ],
    ),
    ("5.3: paused, user_input_received → semantic_understanding", &[TABLE, SAID]),
    ("5.3: execution, user_input_received → semantic_understanding", &[TABLE, ROUTES]),
    (
        "5.3: cancel_requested → failed, and the context says that it was cancelled",
        &[TABLE, (DRIVING, "a_cancelled_workflow_leaves_nobody_waiting")],
    ),
    (
        "5.3: error_occurred with lastError → failed",
        &[TABLE, NOTHING_ELSE, (ENGINE, "without_anybody_who_thinks_it_fails_and_says_so")],
    ),
    (
        "5.3: execution or review, task_failed for good → failed",
        &[TABLE, (DRIVING, "a_task_begins_when_all_that_it_needs_is_done")],
    ),
    (
        "5.3: what happens to tasks in execution is no other phase",
        &[TABLE, (TASKS, "a_list_that_says_what_is_so_changes_nothing")],
    ),
    (
        "5.3: resource_missing → wait_user_decision, with a decision",
        &[TABLE, (DRIVING, "what_is_missing_is_asked_for")],
    ),
    (
        "5.3: everything else is refused",
        &[
            NOTHING_ELSE,
            (PHASE_TABLE, "no_context_leads_out_of_an_end"),
            (DRIVING, "what_is_refused_leaves_nothing_behind"),
        ],
    ),
    ("5.3: of several rules that fit the first one holds", &[TABLE, (PHASE_TABLE, "every_rule_is_used")]),
    (
        "5.3: each transition is persisted, stands in the history, and is told once",
        &[
            DRIVEN,
            (STEERED, "whatever_is_done_to_a_workflow_the_engine_keeps_to_the_tables"),
            (SEQUENCES, "any_sequence_ends_the_same_in_memory_and_on_the_disk_and_as_the_tables_say"),
        ],
    ),
    (
        "5.3: a context is seen by the guards and kept only where something has come of it",
        &[DRIVEN, (DRIVING, "what_is_refused_leaves_nothing_behind")],
    ),
];

const PAUSED: &[Coverage] = &[
    (
        "5.4: a pause is a transition of the workflow",
        &[(DRIVING, "a_pause_keeps_what_runs_and_begins_nothing")],
    ),
    (
        "5.4: a soft pause lets what was dispatched end, records it, and dispatches nothing",
        &[SOFT, (DRIVING, "a_pause_keeps_what_runs_and_begins_nothing")],
    ),
    (
        "5.4: a hard pause breaks off calls, and its tasks are ready again",
        &[
            (ENGINE, "a_hard_pause_breaks_off_what_runs_and_loses_nothing"),
            (DRIVING, "a_hard_pause_takes_the_tasks_back"),
            (FOLDERS, "a_cancel_and_a_hard_pause_take_back_what_no_agent_has_taken"),
        ],
    ),
    (
        "5.4: it leaves a checkpoint, remembers where it was made, and is told as a transition and an update",
        &[
            (DRIVING, "a_pause_keeps_what_runs_and_begins_nothing"),
            (DRIVING, "a_pause_returns_to_every_phase_it_was_made_in"),
            (CHECKPOINTS, "a_paused_session_without_work_is_only_unpaused"),
        ],
    ),
    (
        "5.4: a result that comes in a pause is judged after it",
        &[SOFT, (PAUSES, "only_what_has_come_in_is_judged_when_a_pause_is_over")],
    ),
    (
        "5.4: a decision can be answered in a pause, and is used after it",
        &[
            (PAUSES, "an_answer_that_comes_in_a_pause_is_used_when_it_is_over"),
            (PAUSES, "s5_4_an_agent_whose_question_is_answered_in_a_pause_goes_on_when_it_is_over"),
        ],
    ),
    (
        "5.4: a resume goes on with what is ready, and is refused where nothing is paused",
        &[SOFT, (DRIVING, "a_pause_keeps_what_runs_and_begins_nothing")],
    ),
];

/// contract/workflows §5.5 and §5.6. One test each reads the tables row by row; the tests that are named here see each row
/// happen.
const TASKS_AND_AGENTS: &[Coverage] = &[
    (
        "5.5: created, deps_satisfied → ready",
        &[TASK_TABLE, (DRIVING, "a_task_begins_when_all_that_it_needs_is_done")],
    ),
    (
        "5.5: ready, orchestrator_dispatch → dispatching",
        &[
            TASK_TABLE,
            (FOLDERS, "s6_5_an_agent_with_a_folder_is_told_everything_and_its_artifact_is_the_result"),
        ],
    ),
    (
        "5.5: dispatching, dispatch_ack → dispatched",
        &[
            TASK_TABLE,
            (FOLDERS, "s6_5_an_agent_with_a_folder_is_told_everything_and_its_artifact_is_the_result"),
        ],
    ),
    (
        "5.5: dispatching, dispatch_nack, timeout or no_resource → dispatch_failed",
        &[TASK_TABLE, (FOLDERS, "an_agent_whose_folder_is_gone_is_passed_over_at_once")],
    ),
    ("5.5: dispatched, task_execution_started → running", &[TASK_TABLE, DRIVEN]),
    (
        "5.5: dispatch_failed, recoverable_retry → ready",
        &[TASK_TABLE, (FOLDERS, "s5_5_what_is_not_acknowledged_within_30_s_is_given_to_another_agent")],
    ),
    (
        "5.5: dispatch_failed, unrecoverable → blocked; the engine asks a person first",
        &[TASK_TABLE, (FOLDERS, "s6_1_a_shortage_for_good_asks_a_person_and_fails_when_nobody_can_help")],
    ),
    (
        "5.5: running, task_progress → running",
        &[TASK_TABLE, (TASKS, "a_step_of_an_agent_is_told_with_what_it_thought")],
    ),
    ("5.5: running, task_execution_result_success → execution_succeeded", &[TASK_TABLE, DRIVEN]),
    (
        "5.5: running, task_execution_result_failure → execution_failed",
        &[TASK_TABLE, (PAUSES, "a_task_that_nobody_has_answered_in_time_fails")],
    ),
    (
        "5.5: execution_failed, retry_or_reassign → ready",
        &[
            TASK_TABLE,
            (ENGINE, "a_task_that_may_succeed_later_is_tried_by_another_agent_and_then_a_person_decides"),
        ],
    ),
    (
        "5.5: execution_succeeded, review_requested → reviewing",
        &[TASK_TABLE, (TASKS, "a_task_is_judged_alone_where_a_driver_does_so")],
    ),
    ("5.5: reviewing, review_pass → done", &[TASK_TABLE, DRIVEN]),
    (
        "5.5: reviewing, review_reject → rework_required",
        &[TASK_TABLE, (TASKS, "a_task_is_judged_alone_where_a_driver_does_so")],
    ),
    ("5.5: rework_required, replan_or_retry → ready", &[TASK_TABLE, DRIVEN]),
    (
        "5.5: blocked and done are ends",
        &[TASK_TABLE, (TASKS, "a_task_is_judged_alone_where_a_driver_does_so")],
    ),
    (
        "5.5: what is not acknowledged within 30 s has failed, and is an error of the agent",
        &[(FOLDERS, "s5_5_what_is_not_acknowledged_within_30_s_is_given_to_another_agent"), DEFAULTS],
    ),
    (
        "5.6: idle, dispatch_ack → reserved",
        &[AGENT_TABLE, (TASKS, "what_a_list_says_of_tasks_happens_to_them")],
    ),
    (
        "5.6: reserved, task_execution_started → running",
        &[AGENT_TABLE, (TASKS, "what_a_list_says_of_tasks_happens_to_them")],
    ),
    (
        "5.6: running, agent_step_completed → running",
        &[AGENT_TABLE, (TASKS, "a_step_of_an_agent_is_told_with_what_it_thought")],
    ),
    (
        "5.6: running, task_execution_result_success → idle",
        &[AGENT_TABLE, (TASKS, "what_a_list_says_of_tasks_happens_to_them")],
    ),
    (
        "5.6: running, task_execution_result_failure → error",
        &[AGENT_TABLE, (TASKS, "an_agent_is_freed_by_its_own_task_alone")],
    ),
    (
        "5.6: error, recover_or_reset → idle",
        &[AGENT_TABLE, (TASKS, "an_agent_is_freed_by_its_own_task_alone")],
    ),
    ("5.6: released, dispatch_ack → reserved", &[AGENT_TABLE]),
    ("5.6: the words for workflows", &[WORDS]),
    ("5.6: the words for tasks", &[WORDS]),
    ("5.6: the words for agents", &[(MACHINES, "s5_6_an_agent_is_idle_running_or_in_error")]),
    (
        "5.6: the words of the terminal",
        &[("cli/tests/it/watch.rs", "the_session_of_the_document_is_printed_to_the_letter")],
    ),
];

const LOOPS: &[Coverage] = &[
    (
        "5.7: a plan that is none is asked for again, three times",
        &[(ENGINE, "what_cannot_be_read_is_asked_again_three_times_and_no_more"), NO_PLAN],
    ),
    (
        "5.7: a review sees all results, and what it names is done again",
        &[
            GIVEN,
            (ENGINE, "a_rejected_task_is_done_again_with_what_was_said_and_then_a_person_decides"),
            (ENGINE, "what_is_rejected_together_is_done_again_one_after_the_other"),
        ],
    ),
    (
        "5.7: after three rejections of a task a person decides",
        &[
            (ENGINE, "a_rejected_task_is_done_again_with_what_was_said_and_then_a_person_decides"),
            (MISBEHAVIOUR, "no_judgement_that_is_none_lets_anything_pass"),
            DEFAULTS,
        ],
    ),
    ("5.7: a router that is less sure than 0.6 asks", &[ROUTES, REPLANNED]),
    (
        "5.7: a claim without evidence is rejected",
        &[
            (ENGINE, "high_risk_an_unreadable_review_and_a_claim_without_evidence_are_rejections"),
            (MISBEHAVIOUR, "whatever_an_agent_does_for_its_task_comes_to_an_end"),
            (STAGES, "a_review_alone_judges_by_the_rules_of_every_review"),
        ],
    ),
];

const POOL: &[Coverage] = &[
    ("6.1: orchestrator-default", &[USUAL, (MESSAGES, "agents_are_given_and_taken_back")]),
    ("6.1: executor-general", &[USUAL, (MESSAGES, "agents_are_given_and_taken_back")]),
    ("6.1: executor-research", &[USUAL, (MESSAGES, "agents_are_given_and_taken_back")]),
    ("6.1: executor-coding", &[USUAL, (MESSAGES, "agents_are_given_and_taken_back")]),
    ("6.1: reviewer-default", &[USUAL, (MESSAGES, "agents_are_given_and_taken_back")]),
    (
        "6.1: what is known of an agent: its use, its errors and the last of them",
        &[(MESSAGES, "agents_are_given_and_taken_back"), (TASKS, "an_agent_is_freed_by_its_own_task_alone")],
    ),
    (
        "6.1: whoever has all capabilities can do a task, and some of them at the level that is needed",
        &[
            (LIMITS, "s6_1_what_must_be_done_well_is_given_to_nobody_below_that_level"),
            (PLAN, "what_cannot_be_done_is_no_plan"),
            ABLE,
            (TASKS, "a_task_that_names_nobody_is_given_to_whoever_is_able_to_do_it"),
        ],
    ),
    (
        "6.1: where the planner says nothing the words of a task tell who does it better, which keeps nobody from it",
        &[
            (REQUIREMENT, "s6_1_words_say_what_a_task_is_about"),
            (LIMITS, "s6_1_where_the_plan_does_not_say_it_the_words_of_a_task_tell_who_does_it_better"),
        ],
    ),
    (
        "6.1: one that has a task already keeps it, and nobody has two",
        &[
            (TASKS, "a_task_that_names_nobody_is_given_to_whoever_is_able_to_do_it"),
            (ENGINE, "tasks_that_do_not_need_each_other_run_at_the_same_time_and_nobody_does_two"),
        ],
    ),
    (
        "6.1: available, deployed, busy, available",
        &[(FOLDERS, "s6_5_an_agent_with_a_folder_is_told_everything_and_its_artifact_is_the_result")],
    ),
    (
        "6.1: whoever is busy is waited for",
        &[(LIMITS, "s6_1_whoever_is_busy_is_waited_for_and_nobody_is_asked")],
    ),
    (
        "6.1: what nobody can do is a shortage, and a person is asked in its words",
        &[
            ABLE,
            (ENGINE, "what_nobody_is_able_to_do_is_no_plan_and_what_nobody_is_there_for_asks_a_person"),
            (DRIVING, "what_is_missing_is_asked_for"),
        ],
    ),
    ("6.1: the catalogue of capabilities", &[(PHASES, "s6_1_a_planner_is_told_who_is_able_to_do_what")]),
    (
        "6.1: five at a time in all, three executors",
        &[(LIMITS, "s6_1_three_executors_work_at_a_time_and_five_agents_in_all"), DEFAULTS],
    ),
    (
        "6.1: one orchestrator",
        &[(LIMITS, "s6_1_one_orchestrator_thinks_at_a_time_whatever_there_are"), DEFAULTS],
    ),
    ("6.1: two reviewers", &[(LIMITS, "s6_1_two_reviewers_judge_at_a_time"), DEFAULTS]),
    (
        "6.1: five tools, ten interfaces, three databases",
        &[(POLICY, "s6_1_each_kind_has_its_limit"), DEFAULTS],
    ),
    (
        "6.1: whoever waits for a person does not count",
        &[(LIMITS, "s6_1_a_task_that_waits_for_a_person_holds_up_nobody")],
    ),
    (
        "6.1: a task has its time: 30 min, of the two values there are, and not that in which a person is asked",
        &[
            (LIMITS, "s6_1_a_task_that_takes_too_long_is_given_to_another_agent_and_then_a_person_decides"),
            (LIMITS, "s6_1_the_time_in_which_a_person_is_asked_is_not_that_of_the_task"),
            DEFAULTS,
        ],
    ),
    (
        "6.1: two retries, which wait from 1 s to 30 s",
        &[
            (LIMITS, "s6_1_each_retry_waits_twice_as_long_as_the_one_before_up_to_the_longest_wait"),
            (ENGINE, "a_task_that_may_succeed_later_is_tried_by_another_agent_and_then_a_person_decides"),
            DEFAULTS,
        ],
    ),
    (
        "6.1: of those that wait the most urgent is served first, by one more for every 5 s that it has waited",
        &[
            (QUEUE, "s6_1_whoever_has_waited_longer_comes_first_and_overtakes_the_more_urgent_in_the_end"),
            (LIMITS, "s6_1_whoever_has_waited_longest_is_given_an_agent_next_unless_another_is_more_urgent"),
        ],
    ),
    (
        "6.1: tasks are done at the same time unless they need each other, in the order of the plan",
        &[
            (ENGINE, "tasks_that_do_not_need_each_other_run_at_the_same_time_and_nobody_does_two"),
            (LIMITS, "s6_5_tasks_begin_in_the_order_of_the_plan_as_soon_as_all_that_they_need_is_done"),
        ],
    ),
];

const CONTRACT: &[Coverage] = &[
    ("6.2: one object with its members", &[GIVEN, (PROPOSAL, "what_is_wrong_is_said")]),
    ("6.2: the members that are required", &[(PROPOSAL, "s6_2_nothing_that_is_required_may_be_missing")]),
    (
        "6.2: what an agent wants a person to agree to is asked first: a route, a plan, a tool",
        &[
            (AGREED, "s6_2_a_plan_is_executed_once_a_person_has_agreed"),
            (AGREED, "s6_2_a_plan_that_a_person_does_not_want_is_made_anew_or_is_the_end"),
            (AGREED, "s6_2_a_tool_that_may_be_used_is_asked_for_where_its_agent_wants_that"),
            (PHASES, "s6_3_a_router_may_want_a_person_to_agree_however_sure_it_is"),
        ],
    ),
    ("6.2: the whole text", &[FORMS]),
    ("6.2: a fence of JSON", &[FORMS]),
    ("6.2: any fence", &[FORMS]),
    ("6.2: the first balanced braces", &[FORMS]),
    ("6.2: greedy braces", &[FORMS]),
    ("6.2: a mark of the byte order", &[FORMS]),
    ("6.2: curly quotes", &[FORMS]),
    ("6.2: full-width signs", &[FORMS]),
    ("6.2: comments of JavaScript", &[FORMS]),
    ("6.2: names without quotes", &[FORMS]),
    ("6.2: single quotes", &[FORMS]),
    ("6.2: commas too many", &[FORMS]),
    (
        "6.2: what cannot be read is asked for again, three times",
        &[
            (ENGINE, "what_cannot_be_read_is_asked_again_three_times_and_no_more"),
            (STAGES, "an_answer_that_cannot_be_read_is_asked_for_again_and_then_a_failure"),
            DEFAULTS,
        ],
    ),
    (
        "6.2: with what was wrong, and the first 500 characters",
        &[(PHASES, "s6_2_what_was_wrong_with_an_answer_is_told_with_its_first_500_characters")],
    ),
];

const ASKED: &[Coverage] = &[
    ("6.3: understanding", &[GIVEN, ASKED_AGAIN, (STAGES, "understanding_alone_ends_with_the_intent")]),
    (
        "6.3: what is not clear is asked, with the suggestions as options, and then understood again",
        &[
            (ENGINE, "what_is_not_clear_is_asked_and_the_answer_is_known"),
            (STAGES, "a_person_who_is_asked_what_was_meant_is_waited_for"),
        ],
    ),
    ("6.3: routing", &[GIVEN, ASKED_AGAIN, (STAGES, "routing_alone_asks_the_router_and_nobody_else")]),
    (
        "6.3: planning",
        &[
            GIVEN,
            ASKED_AGAIN,
            (PHASES, "s6_3_a_planner_that_gives_up_fails_the_workflow_with_its_reason"),
            (STAGES, "planning_alone_makes_a_plan_that_nobody_executes"),
        ],
    ),
    (
        "6.3: what a person has said meanwhile comes first for the next prompt",
        &[(ENGINE, "what_a_person_says_meanwhile_is_used_once_by_the_next_prompt")],
    ),
    ("6.3: execution", &[GIVEN, ASKED_AGAIN, (STAGES, "a_task_alone_is_done_with_tools_and_decisions")]),
    ("6.3: review", &[GIVEN, ASKED_AGAIN, (STAGES, "a_review_alone_judges_by_the_rules_of_every_review")]),
    (
        "6.3: an agent asks a person by USER_ESCALATE",
        &[
            EXAMPLE,
            (LIMITS, "s6_1_a_task_that_waits_for_a_person_holds_up_nobody"),
            (
                ENGINE,
                "a_question_that_nobody_could_be_asked_is_told_to_the_agent_and_what_is_long_is_cut_where_it_is_told",
            ),
        ],
    ),
    (
        "6.3: nobody is asked across phases: the table says what is next, the pool who does it, a person what became of it",
        &[
            (STEERED, "whatever_is_done_to_a_workflow_the_engine_keeps_to_the_tables"),
            ABLE,
            (ENGINE, "a_task_that_may_succeed_later_is_tried_by_another_agent_and_then_a_person_decides"),
        ],
    ),
    (
        "6.3: whoever understands and whoever routes know how the workflow stands: tasks, agents, when it last changed",
        &[GIVEN],
    ),
    (
        "6.3: whoever understands knows the last 5 messages, 200 characters of each, and how the workflow stands",
        &[(PHASES, "s6_3_whoever_understands_is_told_what_the_session_was_about")],
    ),
    (
        "6.3: whoever understands is shown images, which are files of the project",
        &[
            (IMAGES, "s6_3_whoever_understands_is_shown_the_images_and_nobody_else"),
            (IMAGES, "s6_3_what_is_no_image_of_the_project_is_refused_and_nothing_is_begun"),
            ("crates/llm/src/endpoint/tests.rs", "images_are_shown_beside_the_words"),
        ],
    ),
    ("6.3: no change → continue_execution", &[ROUTES]),
    (
        "6.3: a minor change → minor_replan above 0.7; from 0.6 on the whole is planned, below that a person is asked",
        &[ROUTES],
    ),
    (
        "6.3: what a minor change changes is told to the planner",
        &[(PHASES, "s6_3_a_minor_change_is_planned_as_the_router_says_and_any_other_anew")],
    ),
    (
        "6.3: a major change is confirmed",
        &[ROUTES, (STAGES, "routing_alone_asks_the_router_and_nobody_else")],
    ),
    ("6.3: a different task is confirmed", &[ROUTES, ANSWERED]),
    (
        "6.3: a control instruction is obeyed",
        &[ROUTES, (STAGES, "a_router_that_wants_to_control_a_workflow_only_says_so")],
    ),
    ("6.3: who is less sure than 0.6 asks", &[ROUTES]),
    (
        "6.3: a first input is planned without asking",
        &[(PHASES, "s6_3_a_first_input_is_planned_without_asking_anybody"), EXAMPLE],
    ),
    ("6.3: a plan has 1 to 15 tasks", &[NO_PLAN, NO_SUCH_PLAN]),
    ("6.3: their names are unique", &[NO_PLAN, NO_SUCH_PLAN]),
    ("6.3: what they need is there", &[NO_PLAN, NO_SUCH_PLAN]),
    ("6.3: none depends on itself, however far around", &[NO_PLAN, NO_SUCH_PLAN]),
    (
        "6.3: high risk is a rejection, although it was approved",
        &[
            (ENGINE, "high_risk_an_unreadable_review_and_a_claim_without_evidence_are_rejections"),
            (STAGES, "a_review_alone_judges_by_the_rules_of_every_review"),
        ],
    ),
    (
        "6.3: a review that cannot be read is a rejection",
        &[
            (ENGINE, "high_risk_an_unreadable_review_and_a_claim_without_evidence_are_rejections"),
            (MISBEHAVIOUR, "no_judgement_that_is_none_lets_anything_pass"),
        ],
    ),
];

const EXECUTED: &[Coverage] = &[
    (
        "6.4: WEB_SEARCH",
        &[
            EVERY_TOOL,
            PARAMETERS,
            (TOOLS, "a_search_by_a_program_reads_the_query_and_returns_what_is_printed"),
        ],
    ),
    (
        "6.4: FETCH_URL",
        &[
            EVERY_TOOL,
            PARAMETERS,
            ("crates/workflow/src/tools/fetch/tests.rs", "a_page_is_read_with_its_address_and_its_kind"),
        ],
    ),
    ("6.4: READ_FILE", &[EVERY_TOOL, PARAMETERS, (TOOLS, "what_was_written_is_read_again")]),
    ("6.4: WRITE_FILE", &[EVERY_TOOL, PARAMETERS, (TOOLS, "what_was_written_is_read_again")]),
    (
        "6.4: SHELL_EXEC",
        &[EVERY_TOOL, PARAMETERS, (TOOLS, "a_command_runs_in_the_project_and_all_that_it_says_is_told")],
    ),
    (
        "6.4: a proposal is checked: its members, its action, its parameters",
        &[ASKED_AGAIN, PARAMETERS, (TOOLS, "a_call_that_lacks_something_is_not_done")],
    ),
    (
        "6.4: instead of a review before each step the policy of the tool decides",
        &[(ENGINE, "a_tool_is_used_as_it_may_be")],
    ),
    ("6.4: each round is told", &[EVERY_TOOL, (TASKS, "a_step_of_an_agent_is_told_with_what_it_thought")]),
    (
        "6.4: complete",
        &[(STEPS, "s6_4_complete_ends_it_with_its_output_and_summary_and_fail_with_its_reason")],
    ),
    ("6.4: fail", &[(STEPS, "s6_4_complete_ends_it_with_its_output_and_summary_and_fail_with_its_reason")]),
    (
        "6.4: max_rounds: ten, not five, and a success if the last step had no error",
        &[
            (
                STEPS,
                "s6_4_there_are_ten_rounds_and_whoever_has_used_them_up_has_succeeded_if_the_last_one_has",
            ),
            (ENGINE, "an_agent_that_gets_nowhere_is_stopped"),
        ],
    ),
    (
        "6.4: max_rejections, at four",
        &[(STEPS, "s6_4_three_equal_refusals_are_stuck_and_four_in_all_are_too_many")],
    ),
    ("6.4: stuck, at three", &[(STEPS, "s6_4_three_equal_refusals_are_stuck_and_four_in_all_are_too_many")]),
    ("6.4: no_progress, at five", &[(STEPS, "s6_4_five_equal_observations_are_no_progress_and_four_are")]),
    (
        "6.4: proposal_error",
        &[(STEPS, "s6_4_an_agent_that_cannot_be_understood_is_a_proposal_error_after_three_repairs")],
    ),
    (
        "6.4: files and commands are those of the project",
        &[
            (TOOL_MISBEHAVIOUR, "whatever_a_path_means_it_leads_nowhere_else"),
            (TOOLS, "a_command_runs_in_the_project_and_all_that_it_says_is_told"),
        ],
    ),
];

const DISPATCHED: &[Coverage] = &[
    (
        "6.5, 1: ready tasks in the order of the plan",
        &[
            (LIMITS, "s6_5_tasks_begin_in_the_order_of_the_plan_as_soon_as_all_that_they_need_is_done"),
            (DRIVING, "a_task_begins_when_all_that_it_needs_is_done"),
        ],
    ),
    (
        "6.5, 2: an agent acknowledges what it is sent, is reserved, and begins",
        &[
            (FOLDERS, "s6_5_an_agent_with_a_folder_is_told_everything_and_its_artifact_is_the_result"),
            (FOLDERS, "s5_5_what_is_not_acknowledged_within_30_s_is_given_to_another_agent"),
        ],
    ),
    (
        "6.5, 3: an agent is free again, however it ends",
        &[(LIMITS, "s6_5_an_agent_is_free_again_however_its_task_ends")],
    ),
    (
        "6.5, 3: the end is told, with the progress of the workflow",
        &[
            (TASKS, "what_a_list_says_of_tasks_happens_to_them"),
            (LIMITS, "s6_5_tasks_begin_in_the_order_of_the_plan_as_soon_as_all_that_they_need_is_done"),
        ],
    ),
    (
        "6.5, 4: what may succeed later is tried twice more, by another one if there is one, and then a person decides",
        &[
            (ENGINE, "a_task_that_may_succeed_later_is_tried_by_another_agent_and_then_a_person_decides"),
            (LIMITS, "s6_1_each_retry_waits_twice_as_long_as_the_one_before_up_to_the_longest_wait"),
            (FOLDERS, "s6_5_a_failure_of_an_agent_is_one_of_its_task_and_tried_again_where_that_may_help"),
        ],
    ),
    (
        "6.5: an agent that is named is waited for in turn, 300 s at most, or not at all",
        &[(STAGES, "s6_5_an_agent_that_is_named_is_waited_for_in_turn_and_not_for_ever")],
    ),
    (
        "6.5: no agent waits for itself, be it by way of others",
        &[(STAGES, "s6_5_no_agent_waits_for_itself_be_it_by_way_of_others")],
    ),
    (
        "6.5: a task says who has given it to whom, and how far that has come",
        &[
            (MACHINES, "s6_5_each_state_of_a_task_is_a_phase_of_its_assignment"),
            (LIMITS, "s6_5_each_task_says_who_has_given_it_to_whom_and_how_far_that_has_come"),
        ],
    ),
    (
        "6.5, 5: the same dispatch is executed once",
        &[
            (FOLDERS, "s6_5_whoever_goes_on_after_a_kill_waits_for_the_same_dispatch"),
            (
                "cli/tests/it/engine.rs",
                "an_agent_with_a_folder_is_waited_for_by_a_daemon_that_was_killed_and_asked_once",
            ),
            (ENGINE, "whatever_is_killed_at_whichever_change_is_gone_on_with_and_repeats_at_most_one_step"),
        ],
    ),
    ("6.6, 1: a text answers the decision that is open, and none of several", &[SAID]),
    (
        "6.6, 2: else it is an instruction, which is told, and used once by the next prompt",
        &[SAID, (ENGINE, "what_a_person_says_meanwhile_is_used_once_by_the_next_prompt")],
    ),
    ("6.6, 3: to what is paused it is a new input", &[SAID]),
    ("6.6, 3: to what has ended nothing is said", &[(DRIVING, "a_cancelled_workflow_leaves_nobody_waiting")]),
];

#[test]
fn every_row_has_a_test_that_would_miss_it() {
    for rows in [WORKFLOWS, PAUSED, TASKS_AND_AGENTS, LOOPS, POOL, CONTRACT, ASKED, EXECUTED, DISPATCHED] {
        assert_tests_exist(rows);
    }
}
