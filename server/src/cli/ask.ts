import { Exposures, type Transport } from "@tunnelplane/sdk";
import {
  type AskedOptions,
  askingOptions,
  certificateIn,
  exitCodeOf,
  linesOfDecision,
  QuestionError,
  questionIn,
} from "@tunnelplane/sdk/asking";
import { definitionNamed, definitionOfId, messageOf, present } from "@tunnelplane/sdk/contract";
import type { DecisionRequest, WorldObject } from "@tunnelplane/sdk/meaning";
import { Command, Option } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { NegativeAnswer, UsageError } from "./failures";
import { found, objectsOf, type Stored } from "./look";
import { type OutputOptions, outputOption, print } from "./output";

interface Options extends ApiOptions, OutputOptions, AskedOptions {
  readonly format?: "text" | "json";
}

/** `tunnelplane ask <method> <address>` */
export function askCommand(): Command {
  const command = askingOptions(new Command("ask"))
    .description(
      "Say what gateways do with a request, by the stored objects, and show each step. Exit code 0: let in; 3: not let in; 4: not known; 1: it failed, for example because the server cannot be reached",
    )
    .addOption(outputOption("the decision as `POST /exposure/decisions` answers it"))
    .addOption(
      new Option("--format <format>", "the same under the name that it has in tunnelplane-pulumi").choices([
        "text",
        "json",
      ]),
    )
    .action(async (first: string, second: string | undefined, options: Options) => {
      const question = asked(second === undefined ? [first] : [first, second], options);
      const { format, output } = options;
      try {
        await throughApi(options, async (transport) => {
          const request = { ...question, client_certificate: await certificateOf(transport, options) };
          const decision = present((await new Exposures(transport).decide([request]))[0]);
          const as = format === undefined ? output : format === "json" ? "json" : "table";
          print(decision, { output: as }, () => linesOfDecision(decision));
          const code = exitCodeOf(decision);
          if (code !== 0) throw new NegativeAnswer(code);
        });
      } catch (error) {
        // The exit codes of this command tell the fate of the request, so failures have a code of their own.
        throw error instanceof NegativeAnswer ? error : new Error(messageOf(error), { cause: error });
      }
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane ask GET https://app.example.com/admin --from 198.51.100.7", "a caller without credentials"],
    [
      "tunnelplane ask POST https://app.example.com/hook --from 203.0.113.0/24 --token-of https://id.example.com",
      "with a token, from a network",
    ],
    ["tunnelplane ask tls://db.example.com:5432 --from 10.1.2.3 --certificate-of Partners", "without HTTP"],
  );
}

function asked(words: readonly string[], options: AskedOptions): DecisionRequest {
  try {
    return questionIn(words, options);
  } catch (error) {
    throw error instanceof QuestionError ? new UsageError(error.message) : error;
  }
}

const AUTHORITY = definitionNamed("certificate_authority");

async function certificateOf(
  transport: Transport,
  { certificateOf: wanted }: AskedOptions,
): Promise<DecisionRequest["client_certificate"]> {
  if (wanted === undefined) return null;
  const objects: WorldObject[] = [];
  const add = ({ resource_name: name, ...fields }: Stored) =>
    objects.push({ kind: AUTHORITY.kind, id: fields.id, ...(name !== undefined && { name }), fields });
  if (definitionOfId(wanted) === AUTHORITY) add((await found(transport, AUTHORITY, wanted)).body);
  else if (wanted !== "other") for await (const one of objectsOf(transport, AUTHORITY)) add(one);
  return certificateIn([{ objects }], wanted)[0];
}
