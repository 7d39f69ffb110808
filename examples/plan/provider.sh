# Answers for the agents of this example, without a model and without a key: a program that reads a prompt and prints one
# JSON object. In a plan of your own, name a provider such as `claude -p` in .aide/config.toml instead.
prompt=$(cat)

case $prompt in
*'You review what others write.'*'Is the chapter good enough'*)
    # The first version is not good enough, the revised one is.
    case $prompt in
    *'An example'*) score=92 decision=PASS explanation='clear, and with an example' ;;
    *) score=55 decision=REJECT explanation='an example is missing' ;;
    esac
    # Ids, times and whatever else identifies the judgement are filled in.
    printf '{"result": {"decision": "%s", "issues": [{"text": "%s"}]},' "$decision" "$explanation"
    printf ' "score": %s, "score_explanation": "%s"}\n' "$score" "$explanation"
    ;;
*'You write the first chapter'*)
    printf '%s\n' '{"result": "# Asking\n\nSay what you know, what you want to know, and until when.\n"}'
    ;;
*'You write the second chapter'*'artifact_validation_result'*)
    printf '%s\n' '{"result": "# Answering\n\nAnswer what was asked. An example: \"Yes, until Friday.\"\n"}'
    ;;
*'You write the second chapter'*)
    printf '%s\n' '{"result": "# Answering\n\nAnswer what was asked.\n"}'
    ;;
*'You put the handbook together.'*)
    printf '%s\n' '{"result": "# Asking\n\nSay what you know, what you want to know, and until when.\n\n# Answering\n\nAnswer what was asked. An example: \"Yes, until Friday.\"\n"}'
    ;;
# Any other plan, such as one of `aide plan init`, can be tried with it as well.
*'"decision": "<'*)
    printf '%s\n' '{"result": {"decision": "PASS", "issues": []}, "score": 90, "score_explanation": "a stand-in finds everything good"}'
    ;;
*)
    printf '%s\n' '{"result": "A stand-in has written this.\n"}'
    ;;
esac
