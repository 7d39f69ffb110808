# An agent of the burst: reads a prompt and prints one JSON object. What it does follows from its kind, which is its
# argument, and from the prompt, never from the time. A task reads "burst-NNN KIND".
prompt=$(cat)
name=burst-${prompt#*burst-}
name=${name%%[!a-z0-9-]*}
kind=${prompt#*"$name "}
kind=${kind%%[!a-z]*}

# has TEXT: does the prompt hold this text?
has() {
    case $prompt in
    *"$1"*) ;;
    *) return 1 ;;
    esac
}

# say ACTION PARAMS [MEMBERS]: prints an answer as every agent gives it.
say() {
    printf '{"thought":"%s","action":"%s","params":%s,"expectedOutcome":"the next step","risk":{"level":"low"},"confidence":95%s}\n' \
        "$name" "$1" "$2" "${3:-}"
}

# complete WORD: the task is done. The third task needs to have been shown what the two before it came to.
complete() {
    if ! has '"id":"task-3"'; then
        has '"id":"task-1"' && say COMPLETE "{\"output\":\"$name: first $1\"}" || say COMPLETE "{\"output\":\"$name: second $1\"}"
    elif has "$name: first" && has "$name: second"; then
        say COMPLETE "{\"output\":\"$name: third $1\"}"
    else
        say FAIL '{"reason":"the results of the other tasks are missing","recoverable":false}'
    fi
}

# Searches, and says what came of it.
search() {
    if ! has '"observation":'; then
        say WEB_SEARCH "{\"query\":\"$name\"}"
    elif has "found $name"; then
        complete found
    elif has 'is not allowed'; then
        complete refused
    fi
}

# Takes 50, 100 or 200 ms.
slow() {
    case $name in
    *[0-2]) sleep 0.2 ;;
    *[3-5]) sleep 0.1 ;;
    *) sleep 0.05 ;;
    esac
    complete slowly
}

# Fails the first task once, or for good; its first answer to the third task cannot be read.
failing() {
    if [ "$kind" = hopeless ]; then
        say FAIL "{\"reason\":\"$name: no luck\",\"recoverable\":false}"
    elif has '"id":"task-1"' && ! has 'Error of the previous attempt'; then
        say FAIL "{\"reason\":\"$name: no luck yet\",\"recoverable\":true}"
    elif has '"id":"task-3"' && ! has 'Your last answer could not be used'; then
        echo 'not JSON'
    else
        complete again
    fi
}

# Asks the person, and says what the person chose.
asking() {
    if ! has '"observation":'; then
        say USER_ESCALATE "{\"message\":\"$name: which?\",\"options\":[\"red\",\"blue\"]}"
    elif has '\"selected\":[\"red\"]'; then
        complete red
    elif has '\"selected\":[\"blue\"]'; then
        complete blue
    fi
}

understand() {
    if [ "$kind" = failing ] && mkdir "${0%/*}/$name" 2>/dev/null; then
        echo "$name: not yet" >&2
        exit 1
    elif [ "$kind" = asking ] && ! has 'Asked and answered'; then
        say CLARIFICATION_REQUIRED "{\"question\":\"$name: which?\",\"suggestions\":[\"red\",\"blue\"]}"
    else
        say INTENT_ANALYSIS "{\"normalizedIntent\":{\"goal\":\"$name\",\"action\":\"create\",\"scope\":\"full_task\"}}"
    fi
}

plan() {
    case $kind in
    slow) needs=patience ;;
    failing | hopeless) needs=luck ;;
    asking) needs=questions ;;
    searching) needs=web_search ;;
    *) needs=shell_exec ;;
    esac
    confirm=
    [ "$kind" != unsure ] || confirm=",\"requiresUserConfirmation\":true,\"userMessage\":\"$name\""
    say TASK_PLAN "{\"tasks\":[
        {\"id\":\"task-1\",\"description\":\"$name: one\",\"requiredCapabilities\":[\"$needs\"]},
        {\"id\":\"task-2\",\"description\":\"$name: two\",\"requiredCapabilities\":[\"file_ops\"]},
        {\"id\":\"task-3\",\"description\":\"$name: three\",\"requiredCapabilities\":[\"$needs\"],
         \"dependencies\":[\"task-1\",\"task-2\"]}]}" "$confirm"
}

review() {
    if has "$name: third"; then
        say REVIEW_APPROVE '{"approved":true,"score":90,"riskLevel":"low"}'
    else
        say REVIEW_REJECT '{"approved":false,"feedback":"there is no third result"}'
    fi
}

case $prompt in
'You understand'*) understand ;;
'You plan'*) plan ;;
'You review'*) review ;;
'You do one task'*)
    case $1 in
    slow | failing | asking) "$1" ;;
    *) if has '"id":"task-2"' || [ "$kind" != searching ]; then complete promptly; else search; fi ;;
    esac
    ;;
*)
    echo 'this prompt is none of the burst' >&2
    exit 1
    ;;
esac
