import * as pulumi from "@pulumi/pulumi";
import { Account } from "../host/account";
import { typeToken } from "../host/typeToken";

/** The accounts for projects that catalogues name, by run: the Automation API may have several at once. */
const accountsOfRuns = new WeakMap<object, Map<string, Account>>();

/**
 * The options for resources of a catalogue. One that names its project has an account for it,
 * `project-<name>`, with the other settings of the environment and the stack.
 *
 * @throws where the program hands such a catalogue a provider, which has a project of its own
 */
export function inProject(
  file: string,
  project: string | undefined,
  options: pulumi.CustomResourceOptions | undefined,
): pulumi.CustomResourceOptions | undefined {
  if (project === undefined) return options;
  if (options?.provider ?? options?.parent?.getProvider(typeToken("Account")))
    throw new pulumi.RunError(
      `${file} names its project, so it takes no \`provider\`: give that account the project ${project}, and remove \`project\` from the file`,
    );
  return pulumi.mergeOptions(options, { provider: accountFor(project) });
}

function accountFor(project: string): Account {
  const run = pulumi.runtime.getStackResource() ?? pulumi;
  const accounts = accountsOfRuns.get(run) ?? new Map<string, Account>();
  accountsOfRuns.set(run, accounts);
  const account = accounts.get(project) ?? newAccount(project);
  accounts.set(project, account);
  return account;
}

/** Pulumi hands the settings of the stack to no account. The environment wins, as for the default server. */
function newAccount(project: string): Account {
  const config = new pulumi.Config("tunnelplane");
  const { TUNNELPLANE_BASE_URL, TUNNELPLANE_API_KEY, TUNNELPLANE_VALIDATE_ON_SERVER } = process.env;
  return new Account(`project-${project}`, {
    project,
    baseUrl: TUNNELPLANE_BASE_URL ? undefined : config.get("baseUrl"),
    apiKey: TUNNELPLANE_API_KEY ? undefined : config.getSecret("apiKey"),
    validateOnServer: TUNNELPLANE_VALIDATE_ON_SERVER ? undefined : config.getBoolean("validateOnServer"),
  });
}
