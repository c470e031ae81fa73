#!/usr/bin/env bash
# Previews a stack or plans a catalogue, and leaves a report in Markdown in $REPORTS, also where that fails.
set -euo pipefail

report="$REPORTS/tunnelplane-review.md"
failure="$REPORTS/tunnelplane-failure.txt"
code=0

# A fence that no output of ours holds.
fenced() {
  echo '~~~~~~~~~~text'
  tail -c 50000 "$1"
  echo
  echo '~~~~~~~~~~'
}
headed() {
  echo '<!-- tunnelplane-review -->'
  echo "## Tunnels: $1"
  echo
}

if [ -n "$CATALOGUE" ]; then
  plan="$REPORTS/tunnelplane-plan.txt"
  npx --no tunnelplane apply "$CATALOGUE" --set "$SET" --plan --fail-on "$FAIL_ON" > "$plan" 2> "$failure" || code=$?
  cat "$failure" >&2
  # The command ends with 3 for findings.
  if [ "$code" = 3 ]; then code=2; fi
  if [ "$code" = 0 ] || [ "$code" = 2 ]; then
    { headed "the plan of $SET" && fenced "$plan"; } > "$report"
  else
    { headed "the plan of $SET failed" && fenced "$failure"; } > "$report"
    code=1
  fi
else
  preview="$REPORTS/tunnelplane-preview.json"
  # The review says why a preview failed, unless the engine ended before it wrote a preview: then its own words do.
  words="$REPORTS/tunnelplane-preview.txt"
  pulumi preview --stack "$STACK" --json --show-sames > "$preview" 2> "$words" || true
  cat "$words" >&2
  npx --no tunnelplane-pulumi review "$preview" --fail-on "$FAIL_ON" ${TRAFFIC:+--traffic "$TRAFFIC"} > "$report" 2> "$failure" || code=$?
  cat "$failure" >&2
  if [ "$code" = 0 ] || [ "$code" = 2 ]; then
    sarif="$REPORTS/tunnelplane-review.sarif"
    npx --no tunnelplane-pulumi review "$preview" --fail-on never --format sarif > "$sarif"
    echo "sarif=$sarif" >> "$GITHUB_OUTPUT"
  else
    if [ -s "$words" ]; then cat "$words" "$failure" > "$failure.all" && mv "$failure.all" "$failure"; fi
    { headed "the preview of $STACK failed" && fenced "$failure"; } > "$report"
    code=1
  fi
  rm -f "$preview" "$words"
fi

echo "report=$report" >> "$GITHUB_OUTPUT"
echo "code=$code" >> "$GITHUB_OUTPUT"
cat "$report" >> "$GITHUB_STEP_SUMMARY"
