#!/bin/sh
# Takes a workflow from idle to completed, as any program can: with curl and jq, over the API of docs/API.md. Start a daemon
# first (`aide daemon start`). Somewhere on the way a person is asked; the workflow goes on when they have answered.
set -eu

base=${FINGER_HTTP_URL:-http://localhost:8080}

# post PATH JSON: sends it, and leaves what is answered in $answer. The key makes the request the same one when it is sent again
# because no answer came.
post() {
    key=drive-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
    answer=$(curl -fsS --retry 3 --retry-connrefused -H 'Content-Type: application/json' -H "Idempotency-Key: $key" \
        --data-binary "$2" "$base/api/v1/$1")
}

# transition TRIGGER CONTEXT: says what has happened to the workflow, and prints the phase that it is in now.
transition() {
    post "workflow/$workflow/transition" "$(jq -cn --arg trigger "$1" --argjson context "$2" '$ARGS.named')"
    echo "→ $(echo "$answer" | jq -r .currentState)"
}

post message '{"target": "finger-orchestrator", "message": {"content": "Write a report about deepseek"}}'
workflow=$(echo "$answer" | jq -r .workflowId)
echo "Workflow $workflow"

# The program that understands, plans and executes reports the result. A real program would ask a model here.
transition intent_analyzed '{"intent": {"goal": "a report", "confidence": 0.9}}'
transition routing_decided '{"route": "full_replan"}'
transition plan_created '{"tasks": [
    {"id": "task-1", "description": "Search the web"},
    {"id": "task-2", "description": "Write the report", "dependencies": ["task-1"]}]}'

transition task_started '{"taskId": "task-1", "agentId": "executor-research"}'
post decision "$(jq -cn --arg workflowId "$workflow" \
    '{$workflowId, taskId: "task-1", message: "This task needs the network. Go on?", options: ["Y", "n"]}')"
decision=$(echo "$answer" | jq -r .decisionId)
echo "Asked: aide workflow decision respond $decision Y"
# Each request waits for an answer, 20 seconds at most.
decided=pending
while [ "$decided" = pending ]; do
    answer=$(curl -fsS "$base/api/v1/decision/$decision?wait=20")
    decided=$(echo "$answer" | jq -r 'if .status == "answered" then .response else .status end')
done
echo "Answered: $decided"
if [ "$decided" != Y ]; then
    transition cancel_requested '{}'
    exit 1
fi

transition task_completed '{"taskId": "task-1", "result": {"found": 3}}'
transition task_started '{"taskId": "task-2", "agentId": "executor-general"}'
transition task_completed '{"taskId": "task-2"}'
transition review_passed '{"output": {"path": "./deepseek/report.md", "output": "Deepseek is a company."}}'

curl -fsS "$base/api/v1/workflows/$workflow/output" | jq -r '"Report saved to: \(.path)"'
