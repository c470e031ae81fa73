import type { PolicyConfigSchema, StackValidationArgs, StackValidationPolicy } from "@pulumi/policy";
import { serverObjects, typeOf, worldsOfStack } from "@tunnelplane/pulumi/review";
import { compare, type Finding, isAcceptedBy, RULES } from "@tunnelplane/sdk/meaning";
import { visible } from "@tunnelplane/sdk/node";
import { declaredBy } from "./resources";
import type { StateBefore } from "./stateBefore";

/** A server to ask for objects outside of the stack. */
export interface Server {
  /** Default: `TUNNELPLANE_BASE_URL`. */
  readonly url?: string;
  /** Default: `TUNNELPLANE_API_KEY`. */
  readonly apiKey?: string;
  /** The name of the project. Default: `TUNNELPLANE_PROJECT`, then the project of the API key. */
  readonly project?: string;
}

export interface ChangeOptions {
  /**
   * Without it, the policies do not see objects outside of the stack: for example, edges of others that use
   * an IP policy of this stack.
   */
  readonly server?: Server;
}

const ACCEPT: PolicyConfigSchema = {
  properties: {
    accept: {
      type: "array",
      items: { type: "string" },
      description: "Hashes of violations that somebody accepted.",
    },
  },
};

/**
 * A policy for each rule about the effects of a change. They compare the state before the run with the
 * program, so they say the same in the preview and in the run.
 */
export function changePolicies(state: StateBefore, options: ChangeOptions): StackValidationPolicy[] {
  const findings = findingsOfRuns(state, options);
  return RULES.map(({ rule, severity, description }) => ({
    name: rule,
    description,
    severity,
    configSchema: ACCEPT,
    async validateStack(args, report) {
      const { accept = [] } = args.getConfig<{ accept?: readonly string[] }>() ?? {};
      const found = (await findings(rule, args)).filter(
        (finding) => finding.rule === rule && !isAcceptedBy(finding, new Set(accept)),
      );
      for (const finding of found) {
        const { sentence, certain, hash } = finding;
        report(
          visible(`${sentence}${certain ? "" : " This is not certain yet."} (${hash})`),
          urnFor(finding, args),
        );
      }
    },
  }));
}

/**
 * The resource at which a finding is shown: its cause; or if that is deleted, the resource that it is about.
 */
function urnFor({ cause, kind, name }: Finding, { resources }: StackValidationArgs): string | undefined {
  const isHere = (urn: string | undefined) => resources.some((resource) => resource.urn === urn);
  if (isHere(cause.urn)) return cause.urn;
  return resources.find((resource) => resource.name === name && typeOf(resource.type)?.kind === kind)?.urn;
}

/**
 * Cache for the findings of all rules, computed once per run. A policy that asks a second time is in the next
 * run.
 */
function findingsOfRuns(
  state: StateBefore,
  options: ChangeOptions,
): (rule: string, args: StackValidationArgs) => Promise<readonly Finding[]> {
  const asked = new Set<string>();
  let found: Promise<readonly Finding[]> | undefined;
  return (rule, args) => {
    if (!found || asked.has(rule)) {
      asked.clear();
      found = judge(args, state, options);
    }
    asked.add(rule);
    return found;
  };
}

async function judge(
  { resources }: StackValidationArgs,
  state: StateBefore,
  { server }: ChangeOptions,
): Promise<readonly Finding[]> {
  if (resources[0]) state.begin(resources[0].urn);
  const { before, after } = worldsOfStack(
    await state.resources(),
    resources.map(declaredBy),
    server && (await serverObjects(server)),
  );
  const { findings, standing } = compare(before, after, { now: new Date() });
  // Report standing findings about this stack, but not about objects of others.
  return [...findings, ...standing.filter(({ cause }) => cause.urn !== undefined)];
}
