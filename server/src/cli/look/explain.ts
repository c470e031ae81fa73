import { type Definition, didYouMean, ERRORS, EVENT_TYPES, registry } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { withExamples } from "../examples";
import { UsageError } from "../failures";
import { bold, dim, type OutputOptions, outputOption, print } from "../output";
import { fieldOf, fieldsIn, insideOf, linesOf, type Shape } from "./fields";
import { findKind, KIND_NAMES, nameOf } from "./kinds";

/** `tunnelplane explain [name]` */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description("Explain a kind of object, a field, an error code or an event type (works without a server)")
    .argument(
      "[name]",
      "for example tls-edges, tls-edges.mutual_tls, TP_1501; without it, all kinds are listed",
    )
    .addOption(
      outputOption(
        "`name` and `description`; for a kind also `fields` and `computed`, for a field its `type`, `limits` and the `fields` inside it, for an error its `status` and `cure`; without a name, a list of all kinds",
      ),
    )
    .action((name: string | undefined, options: OutputOptions) => {
      const { value, lines } = name === undefined ? overview() : explained(name);
      print(value, options, () => lines);
    });
  return withExamples(
    command,
    ["tunnelplane explain tls-edges", "what it is for, and its fields"],
    ["tunnelplane explain tls-edges.tls_termination", "one field, with those inside it"],
    ["tunnelplane explain TP_1501", "when the server answers this error"],
  );
}

/** The explanation of a name, for programs and for people. */
interface Explained {
  readonly value: unknown;
  readonly lines: readonly string[];
}

function overview(): Explained {
  const value = registry.map((one) => ({
    name: nameOf(one),
    description: `${one.doc.split(". ")[0]?.replace(/\.$/, "")}.`,
  }));
  const width = Math.max(...KIND_NAMES.map((name) => name.length));
  return {
    value,
    lines: value.map(({ name, description }) => `${bold(name.padEnd(width))}  ${description}`),
  };
}

function explained(name: string): Explained {
  const errors: readonly ErrorText[] = Object.values(ERRORS);
  const error = errors.find(({ code }) => code === name.toUpperCase());
  if (error) return explainedError(error);
  if (EVENT_TYPES.includes(name)) return explainedEvent(name);
  const [kind = "", ...path] = name.split(".");
  const definition = findKind(kind);
  if (!definition) {
    const meant =
      didYouMean(kind, [...KIND_NAMES, ...errors.map(({ code }) => code)]) || didYouMean(name, EVENT_TYPES);
    throw new UsageError(
      `nothing is called "${name}"${meant || `; there are error codes, event types, and: ${KIND_NAMES.join(", ")}`}`,
    );
  }
  return path.length === 0 ? explainedKind(definition) : explainedField(definition, path);
}

interface ErrorText {
  readonly code: string;
  readonly status: number;
  readonly when: string;
  readonly cure?: string;
}

function explainedError({ code, status, when, cure }: ErrorText): Explained {
  const description = `Answered when ${when}.`;
  // Links of the documentation mean nothing on a terminal.
  const toDo = cure?.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return {
    value: { name: code, description, status, ...(toDo ? { cure: toDo } : {}) },
    lines: [`${bold(code)} (HTTP ${status})`, description, ...(toDo ? [toDo] : [])],
  };
}

function explainedEvent(name: string): Explained {
  const [, subject = "", change] = /^(.+)_([a-z]+)\.v0$/.exec(name) ?? [];
  const what = subject.replaceAll("_", " ");
  const description = `The event for each ${what} that ${change === "expired" ? "has" : "was"} ${change}. A subscription names it among its sources.`;
  return { value: { name, description }, lines: [bold(name), description] };
}

function explainedKind(definition: Definition): Explained {
  const { kind, title, doc, path, idPrefix } = definition;
  const fields = fieldsIn(definition.fields);
  const computed = fieldsIn(definition.computed);
  return {
    value: {
      name: nameOf(definition),
      description: doc,
      kind,
      endpoint: path,
      id_prefix: idPrefix,
      fields,
      computed,
    },
    lines: [
      bold(title),
      doc,
      "",
      `${dim("Endpoint")}  ${path}    ${dim("ids begin with")} ${idPrefix}_`,
      "",
      bold("Fields that are sent"),
      ...fields.flatMap((field) => linesOf(field)),
      ...(computed.length > 0 ? ["", bold("Fields that only answers have")] : []),
      ...computed.flatMap((field) => linesOf(field)),
    ],
  };
}

function explainedField(definition: Definition, path: readonly string[]): Explained {
  const name = [nameOf(definition), ...path].join(".");
  const field = fieldOf(
    path.at(-1) ?? "",
    fieldAt({ ...definition.fields, ...definition.computed }, path, nameOf(definition)),
  );
  const inside =
    field.fields.length > 0
      ? ["", bold("Fields inside"), ...field.fields.flatMap((one) => linesOf(one))]
      : [];
  return { value: { ...field, name }, lines: [...linesOf(field, ""), ...inside] };
}

function fieldAt(shape: Shape, [name = "", ...inside]: readonly string[], path: string): Shape[string] {
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (schema)
    return inside.length === 0 ? schema : fieldAt(insideOf(schema) ?? {}, inside, `${path}.${name}`);
  const known = Object.keys(shape);
  throw new UsageError(
    `${path} has no field "${name}"${didYouMean(name, known) || (known.length > 0 ? `; it has: ${known.join(", ")}` : "")}`,
  );
}
