#!/usr/bin/env bash
# The check of action.yml: its inputs are variables, its verdict is the exit code of the command.
set -uo pipefail
arguments=("$TARGET" --epsilon "$EPSILON" --delta "$DELTA" --trials "$TRIALS" --alpha "$ALPHA")
[ -z "$VALUES" ] || arguments+=("--values=$VALUES")
[ -z "$DOMAIN_SIZE" ] || arguments+=(--domain-size "$DOMAIN_SIZE")
# Options are split at spaces and line ends, as on a command line without quotes.
read -r -d '' -a further <<<"$OPTIONS"
shown=$(ldp-auditor check "${arguments[@]}" "${further[@]}" 2>&1)
code=$?
printf '%s\n' "$shown"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    printf '```text\n%s\n```\n' "$shown" >>"$GITHUB_STEP_SUMMARY"
fi
exit $code
