import {
  ApiError,
  BadRequestError,
  type ChangeSetRequest,
  type ChangeSetResult,
  ChangeSets,
  type Transport,
  type WithFindings,
} from "@tunnelplane/sdk";
import { counted, MAX_SET_OBJECTS } from "@tunnelplane/sdk/contract";
import { inOneLine } from "@tunnelplane/sdk/node";
import { Command, Option } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "./api";
import type { DeclaredObjects } from "./declared";
import { withExamples } from "./examples";
import { RefusedByFindings, UsageError } from "./failures";
import { type OutputOptions, oneLine, outputOption, print } from "./output";
import { wholeNumber } from "./settingOptions";

/** A large set takes a server some seconds. */
const TIMEOUT_MS = 120_000;

interface Options extends ApiOptions, OutputOptions {
  readonly set: string;
  readonly plan?: true;
  readonly own?: true;
  readonly maxDeletes?: number;
  readonly failOn: Severity | "never";
}

/** From the most severe on. */
const SEVERITIES = ["high", "medium", "low"] as const;
type Severity = (typeof SEVERITIES)[number];

/** `apply`: brings a change set to the state that a catalogue lists. */
export function applyCommand(): Command {
  const command = new Command("apply")
    .description("Apply a catalogue as a change set: all its objects in one transaction, or none")
    .argument("<catalogue>", "the YAML file")
    .requiredOption("--set <name>", 'name of the change set: letters, digits, ".", "_" and "-"')
    .option("--plan", "show the plan and its effects on callers; change nothing")
    .option("--own", "delete the objects of the set that the catalogue no longer lists")
    .addOption(
      new Option(
        "--max-deletes <count>",
        "with --own: how many objects may be deleted; 0 unless given",
      ).argParser(wholeNumber(0, MAX_SET_OBJECTS)),
    )
    .addOption(
      new Option(
        "--fail-on <severity>",
        "change nothing and end with 3 for findings of this severity or above",
      )
        .choices([...SEVERITIES, "never"])
        .default("never"),
    )
    .addOption(outputOption("the API's answer; with --plan, the plan with its `findings`"))
    .addOption(new Option("--json", "the same as -o json").implies({ output: "json" }))
    .action(run);
  return withExamples(
    withApiOptions(command),
    ["tunnelplane apply tunnels.yaml --set prod --plan", "show the plan, and its effects on callers"],
    [
      "tunnelplane apply tunnels.yaml --set prod --fail-on high",
      "do it, unless that opens something to callers",
    ],
    [
      "tunnelplane apply tunnels.yaml --set prod --own --max-deletes 3",
      "do it; delete what the file no longer lists, 3 objects at most",
    ],
  );
}

async function run(file: string, options: Options): Promise<void> {
  if (options.maxDeletes !== undefined && !options.own)
    throw new UsageError(
      "--max-deletes says how many objects --own may delete; without --own nothing is deleted, so leave it out",
    );
  const { readDeclared }: typeof import("./declared") = require("./declared");
  const catalogue = readDeclared(file);
  const project = projectFor(file, catalogue, options);
  await throughApi({ ...options, project }, (transport) => send(transport, catalogue, options), TIMEOUT_MS);
}

/** The project of the catalogue, or the chosen one. */
function projectFor(file: string, catalogue: DeclaredObjects, options: Options): string | undefined {
  const chosen = options.project || undefined;
  const { project = chosen } = catalogue;
  if (chosen !== undefined && chosen !== project)
    throw new UsageError(
      `${file} is for the project ${project}, and --project or TUNNELPLANE_PROJECT says ${chosen}: leave that out, or change the file`,
    );
  return project;
}

async function send(transport: Transport, catalogue: DeclaredObjects, options: Options): Promise<void> {
  const { set, own, plan, url, maxDeletes = 0 } = options;
  const { objects } = catalogue;
  const request: ChangeSetRequest = {
    set,
    mode: own ? "own" : "merge",
    max_deletes: plan ? MAX_SET_OBJECTS : maxDeletes,
    objects,
  };
  const changeSets = new ChangeSets(transport);
  const begun = Date.now();
  console.error(
    `${plan ? "Planning" : "Applying"} ${counted(objects.length, "object")} as the change set ${set} on ${url} …`,
  );
  try {
    const judged =
      plan || options.failOn !== "never" ? await changeSets.plan(request, { findings: true }) : undefined;
    if (judged && !plan) {
      refuseFindings(judged, options, objects.length);
      for (const limit of judged.finding_limits ?? []) console.error(limit);
    }
    // The digest binds the apply to what was judged.
    const result =
      plan && judged
        ? judged
        : await changeSets.apply({ ...request, ...(judged && { expect: judged.digest }) });
    console.error(`${plan ? "Planned" : "Applied"} in ${((Date.now() - begun) / 1000).toFixed(1)} s.`);
    print(result, options, () => linesOf(result, options, objects.length));
    if (plan && judged) failOnFindings(judged, options);
  } catch (error) {
    const misnamed =
      error instanceof BadRequestError &&
      error.faults.find(({ key, field }) => key === "" && field === "set");
    if (misnamed) throw new UsageError(`--set ${misnamed.msg}`);
    throw error instanceof ApiError && error.faults.length > 0 ? new Error(catalogue.report(error)) : error;
  }
}

type Plan = ChangeSetResult & WithFindings;

/** Prints a plan that has findings at or above the severity of --fail-on, and ends with it. */
function refuseFindings(plan: Plan, options: Options, declared: number): void {
  if (severeIn(plan, options) === 0) return;
  print(plan, options, () => linesOf(plan, { ...options, plan: true }, declared));
  failOnFindings(plan, options);
}

function failOnFindings(plan: Plan, options: Options): void {
  const count = severeIn(plan, options);
  if (count > 0)
    throw new RefusedByFindings(
      `${counted(count, "finding")} of severity ${options.failOn} or above: nothing was changed. Change the catalogue, or apply it without --fail-on ${options.failOn}`,
    );
}

const severeIn = ({ findings }: Plan, { failOn }: Options): number =>
  findings.filter(
    ({ severity }) => failOn !== "never" && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(failOn),
  ).length;

function* linesOf(
  result: ChangeSetResult & Partial<WithFindings>,
  { set, plan, own, maxDeletes = 0 }: Options,
  declared: number,
): Generator<string> {
  const catalogue: typeof import("@tunnelplane/sdk/catalogue") = require("@tunnelplane/sdk/catalogue");
  const meaning: typeof import("@tunnelplane/sdk/meaning") = require("@tunnelplane/sdk/meaning");
  const { operations, findings = [], finding_limits: limits = [], access, digest } = result;
  const touched = operations.filter(({ op }) => op !== "delete").length;
  const counts =
    operations.length > 0 ? `${catalogue.countsOf(operations, plan ? "planned" : "done")}, ` : "";
  yield `Set ${set}: ${counts}${declared - touched} unchanged`;
  for (const operation of operations)
    yield* catalogue.linesOf(operation).map((line) => `  ${inOneLine(line)}`);
  if (access && operations.length > 0) yield `\n${oneLine(access.sentence)}`;
  if (findings.length > 0) yield "\nWhat it means:";
  for (const { severity, sentence, certain, cause } of findings) {
    const finding = oneLine(`${sentence} (${meaning.objectText(cause)})`);
    yield `  ${severity.padEnd(6)} ${finding}${certain ? "" : " (not certain)"}`;
  }
  for (const limit of limits) yield `  ${oneLine(limit)}`;
  const deletions = operations.filter(({ op }) => op === "delete").length;
  if (plan) {
    const allow = own && deletions > maxDeletes ? `; to apply it, pass --max-deletes ${deletions}` : "";
    yield `\nThis is a plan; nothing was changed${allow}. Digest: ${digest}`;
  }
  const withTokens = operations.filter(({ token }) => token !== undefined);
  if (withTokens.length > 0) yield "\nTokens, shown this once and never again:";
  for (const { kind, key, token } of withTokens) yield `  ${oneLine(`${kind}/${key} ${token}`)}`;
}
