#!/usr/bin/env bash
# Writes the report as a comment of the pull request; a later push updates the same one.
set -euo pipefail

id=$(gh api "repos/$REPOSITORY/issues/$NUMBER/comments" --paginate \
  --jq '.[] | select(.body | startswith("<!-- tunnelplane-review -->")) | .id' | head -n 1)
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$REPOSITORY/issues/comments/$id" -F body=@"$REPORT" > /dev/null
else
  gh api --method POST "repos/$REPOSITORY/issues/$NUMBER/comments" -F body=@"$REPORT" > /dev/null
fi
