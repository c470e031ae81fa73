#!/usr/bin/env bash
# Writes the report as a comment of the pull request; a later push updates the same one, if it is our own:
# everybody may write a comment that begins as ours do.
set -euo pipefail

AUTHOR=$(gh api graphql -f query='{ viewer { login } }' --jq .data.viewer.login 2> /dev/null ||
  gh api user --jq .login 2> /dev/null || true)
export AUTHOR="${AUTHOR:-github-actions[bot]}"
id=$(gh api "repos/$REPOSITORY/issues/$NUMBER/comments" --paginate \
  --jq '.[] | select(.user.login == env.AUTHOR and (.body | startswith("<!-- tunnelplane-review -->"))) | .id' | head -n 1)
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$REPOSITORY/issues/comments/$id" -F body=@"$REPORT" > /dev/null
else
  gh api --method POST "repos/$REPOSITORY/issues/$NUMBER/comments" -F body=@"$REPORT" > /dev/null
fi
