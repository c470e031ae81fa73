import { searchFor } from "@tunnelplane/sdk";
import { Command, Option } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { type OutputOptions, outputOption, print, tableOf } from "./output";
import { wholeNumber } from "./settingOptions";

interface Options extends ApiOptions, OutputOptions {
  readonly limit?: number;
  readonly shared?: true;
}

const USUAL = 20; // of the server
const MAX_RESULTS = 100;

/** `tunnelplane search <text>` */
export function searchCommand(): Command {
  const command = new Command("search")
    .description(
      "Find objects by any part of their names, hosts, paths, networks, descriptions, labels and ids; all words must be there",
    )
    .argument("<text...>", "what to search for; an IP address also finds the networks that contain it")
    .addOption(outputOption("`results` and `has_more` as `GET /search` answers them"))
    .addOption(
      new Option("--limit <count>", `how many at most (default: ${USUAL})`).argParser(
        wholeNumber(1, MAX_RESULTS),
      ),
    )
    .option("--shared", "also objects of shared projects, which others may refer to")
    .action((words: readonly string[], { limit, shared, ...options }: Options) =>
      throughApi(options, async (transport) => {
        const found = await searchFor(transport, words.join(" "), { limit, shared });
        print(found, options, () =>
          found.results.length > 0
            ? tableOf(
                ["KIND", "NAME", "FOUND IN", "TEXT", "ID"],
                found.results.map(({ kind, title, matched: { field, text }, id }) => [
                  kind,
                  title,
                  field,
                  text,
                  id,
                ]),
              )
            : ["Nothing was found."],
        );
        if (found.has_more) console.error(`There are more than ${found.results.length}: add a word.`);
      }),
    );
  return withExamples(
    withApiOptions(command),
    ["tunnelplane search app.example.com", "edges that serve a host, and all else that names it"],
    ["tunnelplane search 192.0.2.7", "the networks of IP policies that contain an address"],
  );
}
