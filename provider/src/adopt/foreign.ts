import { readFileSync } from "node:fs";
import type { Caller } from "@tunnelplane/sdk";
import {
  type Definition,
  embeddedIn,
  isObject,
  messageOf,
  pathFieldsOf,
  plural,
  registry,
} from "@tunnelplane/sdk/contract";
import { parse } from "yaml";
import type { Wire } from "../core/target";

/** Objects of an account elsewhere, in the names of our contract. */
export interface ForeignObjects {
  readonly found: readonly {
    readonly definition: Definition;
    readonly answer: Wire;
    readonly name?: string;
  }[];
  /** Whether they have the form of declarations, and not that of answers. */
  readonly isDeclared?: boolean;
  /** Sentences about what could not be read, or cannot be held. */
  readonly leftOut: readonly string[];
}

/** An account of a service that speaks our contract, under names of its own. */
export interface ForeignAccount {
  readonly url: string;
  readonly apiKey: string;
  /** Instead of `Service-Version: 2`. */
  readonly header?: readonly [name: string, value: string];
  readonly names?: Names;
}

/** Our names of paths and fields, and theirs. */
export interface Names {
  readonly paths: ReadonlyMap<string, string>;
  /** Ours by theirs. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Nobody owns what comes from elsewhere; it has the defaults of the one who will make it. */
export const NOBODY: Caller = { owner_id: "", name: "", role: "admin", key_id: "" } as unknown as Caller;

const MAX_BYTES = 16 * 2 ** 20;
const MAX_MS = 30_000;
const SHOWN_ANSWER = 300;

/** `NAME: VALUE` */
export function headerIn(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`--from-header ${JSON.stringify(text)} is not a valid header: expected "NAME: VALUE"`);
  return [name, value];
}

/**
 * Reads a file that maps names, in JSON or YAML: `paths` has their path for each of ours (or for what ours
 * begin with), `fields` their field for each of ours.
 */
export function namesIn(file: string): Names {
  let read: unknown;
  try {
    read = parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error).split("\n")[0]}`);
  }
  const part = (name: string): [string, string][] => {
    const map = isObject(read) ? (read[name] ?? {}) : undefined;
    if (!isObject(map) || !Object.values(map).every((value) => typeof value === "string"))
      throw new Error(
        `${file} is not a valid map of names: expected {"paths": {"/edges/tls": "/their/path"}, "fields": {"hostports": "their_field"}}`,
      );
    return Object.entries(map) as [string, string][];
  };
  return {
    paths: new Map(part("paths")),
    fields: new Map(part("fields").map(([ours, theirs]) => [theirs, ours])),
  };
}

/** Reads everything of an account, page by page. Nothing is changed there. */
export async function readForeign(
  account: ForeignAccount,
  progress: (read: number) => void,
): Promise<ForeignObjects> {
  const found: { definition: Definition; answer: Wire }[] = [];
  const missing: string[] = [];
  let isThere = false;
  for (const definition of registry.filter(({ path }) => pathFieldsOf({ path }).length === 0)) {
    for await (const objects of pagesOf(account, definition)) {
      if (objects === undefined) missing.push(plural(definition.title));
      else isThere = true;
      for (const answer of objects ?? []) {
        for (const one of [{ definition, answer }, ...insideOf(definition, answer)]) found.push(one);
        if (found.length % PROGRESS_EVERY === 0) progress(found.length);
      }
    }
  }
  if (!isThere)
    throw new Error(
      `GET ${account.url} has none of the lists, such as ${theirPath("/edges/tls", account.names)}: each answered 404. Name their paths under "paths" in the file of --from-names`,
    );
  const leftOut = missing.length === 0 ? [] : [`the service has no lists of ${missing.join(", ")}`];
  return { found, leftOut };
}

const PROGRESS_EVERY = 500;

const insideOf = (definition: Definition, answer: Wire) =>
  embeddedIn(definition).flatMap(([name, child]) => {
    const inner = answer[name];
    return (Array.isArray(inner) ? inner : []).map((one: Wire) => ({ definition: child, answer: one }));
  });

/** At most so many pages of one list, however often the service names another. */
const MAX_PAGES = 10_000;

async function* pagesOf(
  { url, apiKey, header = ["Service-Version", "2"], names }: ForeignAccount,
  { path, listKey }: Definition,
): AsyncGenerator<Wire[] | undefined> {
  const base = url.replace(/\/+$/, "");
  let query = "?limit=100";
  for (let page = 0; page < MAX_PAGES; page++) {
    const call = `GET ${base}${theirPath(path, names)}${query}`;
    const { status, text } = await asked(call, {
      authorization: `Bearer ${apiKey}`,
      [header[0]]: header[1],
      accept: "application/json",
    });
    if (status === 404 || status === 410) {
      yield undefined;
      return;
    }
    if (status !== 200)
      throw new Error(`${call} answered ${status}: ${text.replaceAll(/\s+/g, " ").slice(0, SHOWN_ANSWER)}`);
    const body = inOurNames(parsed(call, text), names);
    const list = isObject(body) ? body[listKey] : undefined;
    if (!isObject(body) || !Array.isArray(list))
      throw new Error(
        `${call} answered no list ${JSON.stringify(listKey)}: name theirs under "fields" in the file of --from-names`,
      );
    yield list.filter(isObject);
    const next = body.next_page_uri;
    if (typeof next !== "string" || next === "") return;
    query = new URL(next, base).search;
  }
}

async function asked(call: string, headers: Record<string, string>) {
  try {
    const answer = await fetch(call.replace(/^GET /, ""), {
      headers,
      redirect: "error",
      signal: AbortSignal.timeout(MAX_MS),
    });
    return { status: answer.status, text: await textOf(answer) };
  } catch (error) {
    const cause = error instanceof Error && error.cause ? `: ${messageOf(error.cause)}` : "";
    throw new Error(`${call} was not answered (${messageOf(error)}${cause})`);
  }
}

/** Stops to read where an answer is larger than one that is taken. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(call: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${call} answered no JSON: ${text.slice(0, SHOWN_ANSWER)}`);
  }
}

function theirPath(path: string, names: Names | undefined): string {
  const begins = [...(names?.paths.keys() ?? [])]
    .filter((ours) => path === ours || path.startsWith(ours.endsWith("/") ? ours : `${ours}/`))
    .sort((a, b) => b.length - a.length)[0];
  return begins === undefined ? path : `${names?.paths.get(begins)}${path.slice(begins.length)}`;
}

function inOurNames(value: unknown, names: Names | undefined): unknown {
  if (names === undefined || names.fields.size === 0) return value;
  if (Array.isArray(value)) return value.map((one) => inOurNames(one, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [names.fields.get(name) ?? name, inOurNames(one, names)]),
  );
}
