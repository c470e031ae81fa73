import type { ApiError, ChangeSetRequest } from "@tunnelplane/sdk";
import { readCatalogue, setNameOf, setObjectsOf, type Tags } from "@tunnelplane/sdk/catalogue";
import { oneLine } from "./output";

export interface DeclaredObjects {
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
export function readDeclared(file: string): DeclaredObjects {
  const tags = { ...ofPrograms("!config"), ...ofPrograms("!secret") };
  const { document, entries, links, project } = readCatalogue(file, tags);
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
      const lines = document.mistakes.length > 0 ? [document.report()] : [];
      const more = faultCount > faults.length ? [`and ${faultCount - faults.length} more`] : [];
      return ["The server refused the change set; nothing was changed.", ...lines, ...outside, ...more].join(
        "\n",
      );
    },
  };
}
