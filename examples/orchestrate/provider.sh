# Answers for the agents of a workflow, without a model and without a key: a program that reads a prompt and prints one JSON
# object. For agents that think, name a provider such as `claude -p` in its place.
prompt=$(cat)

# say ACTION PARAMS: prints an answer as every agent gives it.
say() {
    printf '{"thought": "%s", "action": "%s", "params": %s, "expectedOutcome": "the next step is known",' \
        "the example wants $1 here" "$1" "$2"
    printf ' "risk": {"level": "low"}, "confidence": 95}\n'
}

# The agents speak the language of the task.
case $prompt in
*搜索*)
    search='搜索 deepseek' choose='选择论文' write='写报告'
    query='deepseek 最新发布' which='找到 5 篇论文，选择哪些？'
    ;;
*)
    search='Search for deepseek' choose='Choose the papers' write='Write the report'
    query='latest deepseek release' which='Found 5 papers. Which ones?'
    ;;
esac

# How many steps the agent sees that it has done for its task.
steps=$(printf '%s' "$prompt" | grep -o '"observation":' | wc -l)

case $prompt in
'You understand what the user wants.'*)
    say INTENT_ANALYSIS '{"normalizedIntent": {"goal": "a report about deepseek", "action": "create", "scope": "full_task"}}'
    ;;
'You decide what a workflow does next.'*)
    say ROUTE_DECISION '{"route": "full_replan", "payload": {"reason": "nothing is planned yet"}}'
    ;;
'You plan how to carry out a task.'*)
    say TASK_PLAN '{"tasks": [
        {"id": "task-1", "description": "'"$search"'", "requiredCapabilities": ["web_search"]},
        {"id": "task-2", "description": "'"$choose"'", "dependencies": ["task-1"]},
        {"id": "task-3", "description": "'"$write"'", "dependencies": ["task-2"], "requiredCapabilities": ["report_generation"]}]}'
    ;;
'You do one task'*'"id":"task-1"'*)
    case $steps in
    0) say WEB_SEARCH '{"query": "'"$query"'"}' ;;
    *) say COMPLETE '{"output": "paper1.pdf, paper2.pdf, paper3.pdf", "summary": "5 papers, 3 of them of use"}' ;;
    esac
    ;;
'You do one task'*'"id":"task-2"'*)
    case $steps in
    0) say USER_ESCALATE '{"message": "'"$which"'", "options": ["paper1.pdf", "paper2.pdf", "paper3.pdf"]}' ;;
    *) say COMPLETE '{"output": "the papers that were chosen"}' ;;
    esac
    ;;
'You do one task'*'"id":"task-3"'*)
    case $steps in
    0) say WRITE_FILE '{"path": "deepseek/report.md", "content": "# deepseek\n\nWhat the chosen papers say.\n"}' ;;
    *) say COMPLETE '{"output": "The report is written.", "summary": "deepseek/report.md"}' ;;
    esac
    ;;
'You review the work of other agents.'*)
    say REVIEW_APPROVE '{"approved": true, "score": 90, "feedback": "complete", "riskLevel": "low"}'
    ;;
*)
    echo 'this prompt is not one of the example' >&2
    exit 1
    ;;
esac
