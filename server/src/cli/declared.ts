import { readFileSync } from "node:fs";
import type { ApiError, ChangeSetRequest } from "@tunnelplane/sdk";
import {
  CatalogueFile,
  check,
  commonTags,
  report,
  setNameOf,
  setObjectsOf,
  type Tags,
} from "@tunnelplane/sdk/catalogue";
import { messageOf, registry } from "@tunnelplane/sdk/contract";
import { oneLine } from "./output";

export interface ReadCatalogue {
  readonly objects: ChangeSetRequest["objects"];
  /** The name of the project that it is for, if it names one. */
  readonly project: string | undefined;
  /** The faults that a server found, each with its line in the file. */
  report(refusal: ApiError): string;
}

/** Tags that only a program can resolve. */
const ofPrograms = (tag: string): Tags => ({
  [tag]: () => {
    throw new Error(
      `is ${tag}, which names a value of a Pulumi stack, and this command has no stack: use !env NAME or !file PATH, or apply the catalogue by a program (CatalogueSet)`,
    );
  },
});

/** Reads and checks a catalogue. Throws an error that names each mistake with its line. */
export function readCatalogue(file: string): ReadCatalogue {
  const document = new CatalogueFile(textOf(file), {
    ...commonTags(file),
    ...ofPrograms("!config"),
    ...ofPrograms("!secret"),
  });
  const { entries, links, project } = check(document, registry);
  if (document.mistakes.length > 0) throw new Error(report(file, document.mistakes, document.lines));
  const byName = new Map(entries.map((entry) => [setNameOf(entry), entry]));
  return {
    project,
    objects: setObjectsOf(entries, links),
    report({ faults, faultCount }) {
      const outside: string[] = [];
      for (const { key, field, msg } of faults) {
        const entry = byName.get(key);
        const message = oneLine([field && `(${field})`, msg].filter(Boolean).join(" "));
        if (entry) document.addMistake([entry.collection, entry.name], message, "name");
        else outside.push(`  ${[key, message].filter(Boolean).join(" ")}`);
      }
      const lines = document.mistakes.length > 0 ? [report(file, document.mistakes, document.lines)] : [];
      const more = faultCount > faults.length ? [`and ${faultCount - faults.length} more`] : [];
      return ["The server refused the change set; nothing was changed.", ...lines, ...outside, ...more].join(
        "\n",
      );
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The catalogue ${file} cannot be read: ${messageOf(error)}`);
  }
}
