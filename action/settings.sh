#!/usr/bin/env bash
# Names each setting that the job lacks, and where to add it, before anything runs.
set -euo pipefail

missing=0
lacks() {
  echo "::error title=$1 is missing::$2"
  missing=1
}
has() { [ -n "${!1:-}" ]; }

if has STACK && has CATALOGUE || ! has STACK && ! has CATALOGUE; then
  lacks "stack or catalogue" "Give this action the input stack, or the input catalogue, and not both."
fi
has TUNNELPLANE_BASE_URL ||
  lacks TUNNELPLANE_BASE_URL "Set it to the server's address: Settings, Secrets and variables, Actions, Variables; and env of the job."
if ! has TUNNELPLANE_API_KEY && ! has TUNNELPLANE_IDENTITY_TOKEN && ! has TUNNELPLANE_IDENTITY_TOKEN_FILE && ! has ACTIONS_ID_TOKEN_REQUEST_URL; then
  lacks "An identity" "Give the job 'permissions: id-token: write' and the server a WorkloadIdentity for it; or set the secret TUNNELPLANE_API_KEY to a viewer's key. Pull requests from forks get neither."
fi
if has CATALOGUE && ! has SET; then
  lacks set "Give this action the input set: the name of the catalogue's change set."
fi
if has STACK; then
  has PULUMI_BACKEND_URL || has PULUMI_ACCESS_TOKEN ||
    lacks PULUMI_BACKEND_URL "Set the variable PULUMI_BACKEND_URL to where the state is, such as s3://bucket; or the secret PULUMI_ACCESS_TOKEN for Pulumi Cloud."
  has PULUMI_CONFIG_PASSPHRASE || has PULUMI_CONFIG_PASSPHRASE_FILE || has PULUMI_ACCESS_TOKEN ||
    lacks PULUMI_CONFIG_PASSPHRASE "Set the secret PULUMI_CONFIG_PASSPHRASE to the passphrase of the stack."
fi
exit "$missing"
