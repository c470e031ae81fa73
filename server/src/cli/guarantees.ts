import { type Guarantee as Answered, Collection, type Transport, type WithName } from "@tunnelplane/sdk";
import { linesOfDecision } from "@tunnelplane/sdk/asking";
import { counted, definitionNamed, keysOf, nameAndId } from "@tunnelplane/sdk/contract";
import { type Decision, type DecisionRequest, decidedText, guaranteeText } from "@tunnelplane/sdk/meaning";
import { Command } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { NegativeAnswer } from "./failures";
import { green, type OutputOptions, oneLine, outputOption, print, red, yellow } from "./output";

interface Options extends ApiOptions, OutputOptions {
  readonly check?: boolean;
}

/** `tunnelplane guarantees [id]` */
export function guaranteesCommand(): Command {
  const command = new Command("guarantees")
    .description(
      "Say of each guarantee whether it holds, and show a request that breaks it, through a server's API",
    )
    .argument("[id]", "the guarantee to show, with each step of its example; without it, all are listed")
    .option("--check", "exit with 3 if an enforced one does not hold, or cannot be proved")
    .addOption(outputOption("the guarantees as the API answers them, or the one that is named"))
    .action((id: string | undefined, options: Options) =>
      throughApi(options, async (transport) => {
        const guarantees = await printed(transport, id, options);
        if (options.check && guarantees.some(({ mode, state }) => mode === "enforce" && state !== "holds"))
          throw new NegativeAnswer(3);
      }),
    );
  return withExamples(
    withApiOptions(command),
    ["tunnelplane guarantees", "all, broken ones first"],
    ["tunnelplane guarantees grnt_2ZEK7jJyi0i8nAcGYvy3pEp84Sq", "one, with each step of its example"],
    ["tunnelplane guarantees --check", "for a pipeline"],
  );
}

const GUARANTEE = definitionNamed("guarantee");

type Guarantee = Answered & WithName;

/** Prints one guarantee or all of them. Answers those that it printed. */
async function printed(
  transport: Transport,
  id: string | undefined,
  options: Options,
): Promise<readonly Guarantee[]> {
  const all = new Collection<Answered, never, never>(transport, GUARANTEE.path, GUARANTEE.listKey);
  if (id !== undefined) {
    const guarantee = await all.get(id, { names: true });
    print(guarantee, options, () => [...linesOf(guarantee), ...linesOfExample(guarantee)]);
    return [guarantee];
  }
  const { items } = await gather(all.list({ state: true, names: true }));
  print(items, options, () => [...linesOfAll(items)]);
  return items;
}

type State = NonNullable<Guarantee["state"]>;

/** States that need attention come first. */
const SIGNS: Readonly<Record<State, string>> = {
  broken: red("✗"),
  unproved: yellow("!"),
  holds: green("✓"),
};

const stateOf = ({ state }: Guarantee): State => state ?? "unproved";

function* linesOfAll(guarantees: readonly Guarantee[]): Generator<string> {
  if (guarantees.length === 0) return yield "There are no guarantees.";
  const states = keysOf(SIGNS);
  const groups = states.map((state) => guarantees.filter((one) => stateOf(one) === state));
  for (const guarantee of groups.flat()) yield* linesOf(guarantee);
  yield states.map((state, index) => `${state}: ${groups[index]?.length ?? 0}`).join(", ");
}

const INDENT = " ".repeat(11);

function linesOf(guarantee: Guarantee): string[] {
  const { id, resource_name: name, description, covered, mode } = guarantee;
  const state = stateOf(guarantee);
  const covers = covered === 0 ? "covers no declared address" : `covers ${counted(covered ?? 0, "address")}`;
  const wanted = guaranteeText(guarantee);
  const below = [
    ...(description ? [wanted] : []),
    `${nameAndId(name, id)}, ${mode === "enforce" ? "enforced" : "reported"}, ${covers}`,
    ...reasonsIn(guarantee),
  ];
  return [
    `${SIGNS[state]} ${state.padEnd(8)} ${oneLine(description || wanted)}`,
    ...below.map((line) => `${INDENT}${oneLine(line)}`),
  ];
}

/** Why it does not hold. Reasons about the addresses that it covers were printed already. */
function reasonsIn(guarantee: Guarantee): string[] {
  const { state, reason } = guarantee;
  const shown = exampleIn(guarantee);
  if (shown) return [`broken by ${decidedText(shown.request, shown.decision)}`];
  return state === "unproved" && reason ? [reason] : [];
}

function linesOfExample(guarantee: Guarantee): string[] {
  const shown = exampleIn(guarantee);
  return shown ? ["", ...linesOfDecision(shown.decision)] : [];
}

/** The contract leaves the form of both to `POST /exposure/decisions`. */
const exampleIn = ({
  example,
}: Guarantee): { readonly request: DecisionRequest; readonly decision: Decision } | undefined =>
  (example as unknown as { request: DecisionRequest; decision: Decision } | null) ?? undefined;
