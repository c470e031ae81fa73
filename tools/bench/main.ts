import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureChangeSets } from "./changesets";
import { measureEvents } from "./events";
import { measureGateway } from "./gateway";
import { measureGrowth } from "./growth";
import { measureGuarantees } from "./guarantees";
import { measureMeaning } from "./meaning";
import { measureOverload } from "./overload";
import { measurePeers } from "./peers";
import { watchStolen } from "./processes";
import { profileServer } from "./profile";
import { measureProvider } from "./provider";
import { asText } from "./report/print";
import { describeRun, stolenText, summary, writeDocs, writeResult } from "./report/result";
import type { Section } from "./report/section";
import { measureSearch } from "./search";
import { measureServer } from "./server";
import { measureTeams } from "./server/teams";
import { FULL, type Settings, SHORT, SHORTEST, takeShare } from "./settings";
import { measureSigning } from "./signing";

const PARTS: Readonly<Record<string, (settings: Settings) => Promise<Section[]>>> = {
  server: measureServer,
  peers: measurePeers,
  overload: measureOverload,
  provider: measureProvider,
  growth: measureGrowth,
  signing: measureSigning,
  events: measureEvents,
  changesets: measureChangeSets,
  gateway: measureGateway,
  meaning: measureMeaning,
  guarantees: measureGuarantees,
  teams: measureTeams,
  search: measureSearch,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      short: { type: "boolean", default: false },
      shortest: { type: "boolean", default: false },
      out: { type: "string", default: join(__dirname, "results/latest.json") },
      profile: { type: "boolean", default: false },
      docs: { type: "boolean", default: false },
      beside: { type: "string" },
    },
  });
  const settings: Settings = {
    ...(values.shortest ? SHORTEST : values.short ? SHORT : FULL),
    beside: values.beside,
  };
  if (values.shortest) takeShare(0.01);
  if (values.profile) {
    for (const section of await profileServer(settings)) console.log(asText(section));
    return;
  }
  const parts = values.only?.split(",") ?? Object.keys(PARTS);
  const unknown = parts.find((part) => !PARTS[part]);
  if (unknown !== undefined)
    throw new Error(
      `There is no part ${JSON.stringify(unknown)} to measure; parts: ${Object.keys(PARTS).join(", ")}`,
    );
  const run = describeRun(values.short || values.shortest);
  console.log(summary(run));
  const sections: Section[] = [];
  for (const part of parts) {
    const stolenSince = watchStolen();
    const measured = (await PARTS[part]?.(settings)) ?? [];
    const stolen = stolenSince();
    for (const section of measured) console.log(asText(section));
    console.log(`\n${part}${stolenText(stolen)}`);
    sections.push(...measured);
    // Write after each part, so that a failure keeps the figures before it.
    writeResult(values.out, { ...run, sections });
    if (values.docs && measured.length > 0)
      writeDocs(join(__dirname, "NOTEBOOK.md"), run, { name: part, sections: measured, stolen });
  }
  console.log(`\nEvery figure is in ${values.out}`);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
