import {
  type AskedOptions,
  askingOptions,
  certificateIn,
  exitCodeOf,
  linesOfChange,
  questionIn,
} from "@tunnelplane/sdk/asking";
import { decisions } from "@tunnelplane/sdk/meaning";
import { Command, Option } from "commander";
import type { ServerOptions } from "../operation/askServer";
import { worldsOfPreview } from "../review";
import { EXPECTED } from "../review/preview";
import { nameOf, read } from "./input";
import { serverIfNamed, serverOptions } from "./server";

interface Options extends ServerOptions, AskedOptions {
  readonly preview: string;
  readonly format: "text" | "json";
}

/** `ask`: what happens to a request before and after a preview. */
export function askCommand(): Command {
  const command = askingOptions(
    new Command("ask").description(
      "Say what gateways do with a request before and after a preview. Exit code, by what is after it: 0: let in; 3: not let in; 4: not known; 1: it failed",
    ),
  ).requiredOption(
    "--preview <file>",
    "file with the output of `pulumi preview --json --show-sames`; - for standard input",
  );
  for (const option of serverOptions()) command.addOption(option);
  return command
    .addOption(
      new Option("--format <format>", "text for people; json: the decisions, as `before` and `after`")
        .choices(["text", "json"])
        .default("text"),
    )
    .action((first: string, second: string | undefined, options: Options) =>
      ask(second === undefined ? [first] : [first, second], options),
    );
}

async function ask(words: readonly string[], options: Options): Promise<void> {
  const question = questionIn(words, options);
  const { preview: file, format, certificateOf } = options;
  const { before, after, limits } = await worldsOfPreview(read(file, EXPECTED), {
    ...serverIfNamed(options),
    source: nameOf(file),
  });
  const [held, heldAfter] = certificateOf === undefined ? [] : certificateIn([before, after], certificateOf);
  const was = decisions(before).decide({ ...question, client_certificate: held ?? null });
  const is = decisions(after).decide({ ...question, client_certificate: heldAfter ?? null });
  console.log(
    format === "json"
      ? JSON.stringify({ before: was, after: is }, null, 2)
      : linesOfChange(was, is).join("\n"),
  );
  for (const limit of limits) console.error(limit);
  // Do not call process.exit(), which would cut off output that is not written yet.
  process.exitCode = exitCodeOf(is);
}
