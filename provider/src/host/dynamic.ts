import type { dynamic } from "@pulumi/pulumi";
import type { Transport } from "@tunnelplane/sdk";
import { keepCompiled } from "@tunnelplane/sdk/compiled";
import { isObject } from "@tunnelplane/sdk/contract";
import { UNKNOWN, visible } from "@tunnelplane/sdk/node";
import { intentOf, type Properties } from "../core";
import { belongsTogether, isPartly, Operation, Steps, stateBackend } from "../operation";
import type * as SetHandler from "./catalogueSetHandler";
import { isDeclared } from "./declared";
import { asStep } from "./failure";
import type { Adopted, Origin } from "./origin";
import { withSecretsMarked } from "./secrets";
import { inform, warn } from "./warn";

const isUnknown = (value: unknown): boolean => value === UNKNOWN;

keepCompiled();

/** The operation that this process serves; it never serves a second one. */
const operation = new Operation({ packageName: "@tunnelplane/pulumi", isUnknown, warn, inform });
/** The stack that it works on. */
let origin: Origin | undefined;

/** The kind of resources that are whole catalogues. */
const CATALOGUE_SET = "catalogue_set";

/** The dynamic provider for a kind, as Pulumi's host calls it. */
function handler(kind: string): dynamic.ResourceProvider {
  if (kind === CATALOGUE_SET) {
    // Loaded here: the parser of catalogues would slow the start of programs that have none.
    const { catalogueSetHandler }: typeof SetHandler = require("./catalogueSetHandler");
    return catalogueSetHandler(operation) as dynamic.ResourceProvider;
  }
  const steps = new Steps(operation, kind);
  const { lifecycle } = steps;
  /** The checked resources, by all that a creation or update knows of its resource. */
  const urns = new Map<string, string | undefined>();
  const noteUrn = (inputs: Properties, urn: string): void => {
    const mark = markOf(inputs);
    // Resources of an import file have no intent, so those that are declared alike cannot be told apart.
    urns.set(mark, urns.has(mark) && urns.get(mark) !== urn ? undefined : urn);
  };

  return {
    // The host does not wait for this promise before the first call, so only assign here.
    async configure({ config }) {
      operation.configure((key) => config.get(key));
    },
    check: (olds, news) => asStep("check", () => check({ steps, kind, noteUrn }, olds ?? {}, news)),
    diff: (id, olds, news) => asStep("diff", () => diff(steps, id, olds, news)),
    create: (inputs) =>
      asStep(
        "create",
        async () => {
          const { __intent, __adopts } = inputs as { __intent?: string; __adopts?: string };
          const { id, outputs } = await (__adopts === undefined
            ? steps.run.create(urns.get(markOf(inputs)), __intent, declared(inputs))
            : steps.run.recording((transport) => takeOver(lifecycle, transport, __adopts, declared(inputs))));
          return { id, outs: { ...outputs, ...own(inputs) } };
        },
        recordedBy(inputs),
      ),
    read: (id, properties) =>
      asStep("refresh", async () => {
        const found = await steps.run.read(id, declared(properties ?? {}));
        if (!found) return { id: "" };
        const kept = own(properties ?? {});
        const marked = (values: Properties) =>
          withSecretsMarked(lifecycle.definition, { ...values, ...kept });
        return { id, props: marked(found.outputs), inputs: marked(found.inputs) };
      }),
    update: (id, olds, news) =>
      asStep(
        "update",
        async () => {
          const outputs = await steps.run.update(urns.get(markOf(news)), id, declared(olds), declared(news));
          return { outs: { ...outputs, ...own(news) } };
        },
        recordedBy(news),
      ),
    delete: (id, properties) =>
      asStep("delete", () => {
        const { __stack } = (properties ?? {}) as { __stack?: string };
        operation.stack ||= __stack ?? "";
        return steps.run.delete(id, declared(properties ?? {}), intentIn(properties ?? {}));
      }),
  };
}

async function diff(
  steps: Steps,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.DiffResult> {
  const plan = await steps.preview.plan(id, declared(olds), declared(news), origin?.urn, intentIn(news));
  if (origin?.preview) {
    if (plan.changes) await operation.warnOfMissingKey(undefined);
    const before = plan.moves ? {} : declared(olds);
    await asStep("preview", () =>
      steps.preview.dryRun(origin?.urn, plan.moves ? undefined : id, before, declared(news)),
    );
  }
  // With `changes` undefined, the engine compares old and new inputs itself and shows each property that
  // differs. The state of the native provider lacks `__provider`, which every later step needs.
  const isComplete = olds.__provider !== undefined && !isPartly(olds);
  // A renewal changes no input.
  const isUnseen = isPartly(olds) || plan.reasons.length > 0;
  const changes = isComplete && !plan.changes ? plan.moves : isUnseen || undefined;
  return { changes, replaces: [...plan.replaces] };
}

interface Checking {
  readonly steps: Steps;
  readonly kind: string;
  /** Keeps the URN of a checked resource, for its creation or update. */
  noteUrn(inputs: Properties, urn: string): void;
}

async function check(
  { steps, kind, noteUrn }: Checking,
  olds: Properties,
  news: Properties,
): Promise<dynamic.CheckResult> {
  const isNew = Object.keys(olds).length === 0;
  const { __origin } = news as { __origin?: Origin };
  origin = __origin ?? origin;
  operation.stack = origin?.stack ?? "";
  operation.provider = origin?.provider;
  if (__origin?.owner) operation.owners.set(__origin.urn, __origin.owner);
  if (__origin?.modules) operation.modulesApart.set(__origin.urn, __origin.modules);
  if (__origin?.later) operation.claims.noteLater(__origin.later);
  if (__origin?.guards) operation.guards.set(__origin.urn, __origin.guards);
  // The engine checks a replacement without old inputs. Leave the dry run to `diff`, which has both.
  const isReplacement = operation.isReplacement(__origin?.urn, isNew);
  if (isNew && !isReplacement && __origin?.adopts)
    return adopt(steps, __origin, __origin.adopts, declared(news));
  const before = declared(olds);
  const { inputs, problems: found } = await steps.preview.check(
    __origin?.urn,
    before,
    declared(news),
    isReplacement,
  );
  // The engine stops at the first resource that is refused, so its message lists the mistakes of the
  // others.
  const problems = found.length > 0 ? [...found, ...(__origin?.mistakes ?? [])] : [];
  if (isNew && origin?.preview) await operation.warnOfMissingKey(__origin?.urn);
  const intent = isNew ? __origin && intentOf(stateBackend(process.env), __origin.urn) : intentIn(olds);
  if (__origin) noteUrn({ ...inputs, __intent: intent }, __origin.urn);
  if (problems.length === 0 && __origin?.preview && !isReplacement) {
    const { urn, declared } = __origin;
    const declares = async (other: string) => operation.claims.knows(other) || isDeclared(declared, other);
    problems.push(...(await steps.kind.refusals(urn, declares)));
    if (isNew && problems.length === 0)
      await asStep("preview", () => steps.preview.dryRun(__origin.urn, undefined, {}, inputs, intent));
  }
  const hidden = {
    __intent: intent,
    __adopts: olds.__adopts,
    // Its deletion may need the stack's state, and a destroy runs no program that would name the stack.
    __stack: belongsTogether(kind) ? origin?.stack : undefined,
  };
  return checked({ ...inputs, ...own(hidden) }, problems);
}

/** Checks a new resource that imports an existing object: the object has to be as declared. */
async function adopt(
  steps: Steps,
  { urn, preview }: Origin,
  { id, hidden }: Adopted,
  news: Properties,
): Promise<dynamic.CheckResult> {
  const { lifecycle } = steps;
  const found = await asStep("import", () =>
    operation.withServer((transport) => lifecycle.read(transport, id, news)),
  );
  if (!found) return checked(news, [noSuchObject(id)]);
  // A preview may go on: the run has another key, or refuses.
  if (!preview && found.hidden !== undefined) return checked(news, [found.hidden]);
  const { inputs, problems } = await steps.preview.check(urn, found.outputs, news, false);
  const refusal =
    problems.length > 0 ? undefined : lifecycle.refusalToAdopt(id, found.outputs, inputs, hidden, isUnknown);
  if (preview && problems.length === 0 && refusal === undefined)
    await inform(
      `adopts the ${lifecycle.definition.title} ${id}, which exists: the run changes nothing on the server`,
      urn,
    );
  const intent = intentOf(stateBackend(process.env), urn);
  return checked({ ...inputs, __intent: intent, __adopts: id }, refusal === undefined ? problems : [refusal]);
}

/**
 * Creates a resource that imports an object. Changes nothing on the server; compares the values that the
 * check did not know.
 */
async function takeOver(
  lifecycle: Steps["lifecycle"],
  transport: Transport,
  id: string,
  desired: Properties,
): Promise<{ id: string; outputs: Properties }> {
  const found = await lifecycle.read(transport, id, desired);
  if (!found) throw new Error(noSuchObject(id));
  if (found.hidden !== undefined) throw new Error(found.hidden);
  // Only the check knows which values are secret, so hide all of them here.
  const refusal = lifecycle.refusalToAdopt(id, found.outputs, desired, Object.keys(desired), isUnknown);
  if (refusal) throw new Error(refusal);
  return { id, outputs: found.outputs };
}

function declared({
  __provider,
  __origin,
  __intent,
  __adopts,
  __stack,
  ...properties
}: Properties): Properties {
  return properties;
}

const intentIn = ({ __intent }: Properties): string | undefined =>
  typeof __intent === "string" ? __intent : undefined;

/**
 * The hidden properties of the provider. Inputs and outputs both hold them, so that a refresh finds no
 * difference. The host cannot write undefined values, and a resource from an import file has no intent.
 */
const own = ({ __intent, __adopts, __stack }: Properties): Properties =>
  Object.fromEntries(
    Object.entries({ __intent, __adopts, __stack }).filter(([, value]) => value !== undefined),
  );

/** The same with the provider's code, which the host adds to whole outputs only. */
const recordedBy = (inputs: Properties): Properties => ({
  ...own(inputs),
  __provider: inputs.__provider,
});

/**
 * A mark by which a creation or update finds its resource. By itself, the intent could be that of a renamed
 * resource, too, and the inputs those of another one.
 */
const markOf = ({ __intent, ...inputs }: Properties): string =>
  JSON.stringify([__intent, declared(inputs)], inOrder);

/** The engine keeps neither the order of names nor those without a value. */
const inOrder = (_name: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, item]) => item != null)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value;

/** Names no `property`, because the host prints its value, even a secret one. The reason names it instead. */
const checked = (inputs: Properties, problems: readonly string[]): dynamic.CheckResult => ({
  inputs,
  failures: problems.map((reason) => ({ property: "", reason: visible(reason) })),
});

const noSuchObject = (id: string): string =>
  `cannot import ${id}: there is no such object, or this API key may not see it; check the id, or leave \`import\` out to create a new object`;

export = handler;
