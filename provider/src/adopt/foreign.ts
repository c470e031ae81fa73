import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Caller, retryAfter } from "@tunnelplane/sdk";
import {
  answerSchema,
  codeOf,
  type Definition,
  embeddedIn,
  isObject,
  messageOf,
  pathFieldsOf,
  plural,
  registry,
} from "@tunnelplane/sdk/contract";
import { parse } from "yaml";
import { z } from "zod";
import type { Wire } from "../core/target";
import { type FieldNames, fitted, type Unheld } from "./fitting";

/** An object of an account elsewhere, in the names of our contract. */
export interface ForeignObject {
  readonly definition: Definition;
  readonly answer: Wire;
  readonly name?: string;
  /** The parts of it that are set, and have no field here. */
  readonly unheld: readonly Unheld[];
}

export interface ForeignObjects {
  readonly found: readonly ForeignObject[];
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
  readonly fields: FieldNames;
}

/** Nobody owns what comes from elsewhere; it has the defaults of the one who will make it. */
export const NOBODY: Caller = { owner_id: "", name: "", role: "admin", key_id: "" } as unknown as Caller;

const MAX_BYTES = 16 * 2 ** 20;
const MAX_MS = 30_000;
const SHOWN_ANSWER = 300;
/** How often a service that is busy is asked, and how long a pause that it wants may be, in milliseconds. */
const MAX_TRIES = 5;
const MAX_PAUSE_MS = 30_000;
const BUSY = [429, 502, 503, 504];
const BROKEN = ["ECONNRESET", "UND_ERR_SOCKET"];

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
    throw new Error(`${file} cannot be read: ${messageOf(error).split("\n")[0]?.replace(/:$/, "")}`);
  }
  const valid = z.strictObject({
    paths: z.record(z.string(), z.string().startsWith("/")).default({}),
    fields: z.record(z.string(), z.string()).default({}),
  });
  const { data } = valid.safeParse(read);
  if (data === undefined)
    throw new Error(
      `${file} is not a valid map of names: expected {"paths": {"/edges/tls": "/their/path"}, "fields": {"hostports": "their_field"}}`,
    );
  return { paths: new Map(Object.entries(data.paths)), fields: new Map(Object.entries(data.fields)) };
}

/** Reads everything of an account, page by page. Nothing is changed there. */
export async function readForeign(
  account: ForeignAccount,
  progress: (read: number) => void,
): Promise<ForeignObjects> {
  const found: ForeignObject[] = [];
  const missing: string[] = [];
  const refused: string[] = [];
  let isThere = false;
  const fields: FieldNames = account.names?.fields ?? new Map();
  for (const definition of registry.filter(({ path }) => pathFieldsOf({ path }).length === 0)) {
    for await (const objects of pagesOf(account, definition)) {
      if (objects === undefined) missing.push(plural(definition.title));
      else if (typeof objects === "string") refused.push(`${plural(definition.title)}: ${objects}`);
      else isThere = true;
      for (const answer of Array.isArray(objects) ? objects : []) {
        found.push(...withInner(definition, answer, answerSchema, fields));
        if (found.length % PROGRESS_EVERY === 0) progress(found.length);
      }
    }
  }
  if (!isThere && refused[0]) throw new Error(refused[0]);
  if (!isThere)
    throw new Error(
      `GET ${account.url} has none of the lists, such as ${theirPath("/edges/tls", account.names)}: each answered 404. Name their paths under "paths" in the file of --from-names`,
    );
  const lists = missing.length === 0 ? [] : [`the service has no lists of ${missing.join(", ")}`];
  return { found, leftOut: [...lists, ...refused] };
}

const PROGRESS_EVERY = 500;

/**
 * The object in the shape that it has here, before those that are written inside of it.
 *
 * @param schemaOf the shape of what was read: that of answers, or that of declarations
 */
export function withInner(
  definition: Definition,
  read: Wire,
  schemaOf: (definition: Definition) => z.ZodObject,
  names: FieldNames,
  name?: string,
): ForeignObject[] {
  const { owner_id, id } = read;
  const unheld: Unheld[] = [];
  const lists = embeddedIn(definition).map(([list]) => names.get(list) ?? list);
  const outer = Object.fromEntries(Object.entries(read).filter(([field]) => !lists.includes(field)));
  const fit = fitted(schemaOf(definition), outer, names, unheld) as Wire;
  const answered = answerSchema(definition).shape;
  const own = {
    definition,
    name,
    answer: { ...fit, id, owner_id },
    unheld: unheld.filter(({ path }) => !Object.hasOwn(answered, path)),
  };
  const inner = embeddedIn(definition).flatMap(([list, child]) =>
    [read[names.get(list) ?? list]]
      .flat()
      .filter(isObject)
      .flatMap((one) => {
        const [parent = ""] = pathFieldsOf(child);
        return withInner(child, { [parent]: id, ...one }, schemaOf, names);
      }),
  );
  return [own, ...inner];
}

/** At most so many pages of one list, however often the service names another. */
const MAX_PAGES = 10_000;

/** The objects of a list, page by page; undefined if there is none; or the refusal to show it to this key. */
async function* pagesOf(
  { url, apiKey, header = ["Service-Version", "2"], names }: ForeignAccount,
  { path, listKey }: Definition,
): AsyncGenerator<Wire[] | string | undefined> {
  const base = url.replace(/\/+$/, "");
  const key = names?.fields.get(listKey) ?? listKey;
  const queries = new Set<string>();
  for (let query = "?limit=100"; ; ) {
    const call = `GET ${base}${theirPath(path, names)}${query}`;
    queries.add(query);
    const { status, text } = await asked(call, {
      authorization: `Bearer ${apiKey}`,
      [header[0]]: header[1],
      accept: "application/json",
    });
    const answered = `answered ${status}: ${text.replaceAll(/\s+/g, " ").slice(0, SHOWN_ANSWER)}`;
    if (queries.size === 1 && UNSEEN.includes(status)) {
      yield status === 403 ? `${call} ${answered}` : undefined;
      return;
    }
    if (status !== 200) throw new Error(`${call} ${answered}`);
    const body = parsed(call, text);
    const list = isObject(body) ? body[key] : undefined;
    if (!isObject(body) || !Array.isArray(list))
      throw new Error(
        `${call} answered no list ${JSON.stringify(key)}: name theirs under "fields" in the file of --from-names`,
      );
    const stray = list.find((one) => !isObject(one) || typeof one.id !== "string" || one.id === "");
    if (stray !== undefined)
      throw new Error(`${call} answered an object without an id: ${shortened(JSON.stringify(stray))}`);
    yield list as Wire[];
    const next = body[names?.fields.get("next_page_uri") ?? "next_page_uri"] ?? "";
    if (next === "") return;
    query = typeof next === "string" && URL.canParse(next, base) ? new URL(next, base).search : "";
    if (query === "" || queries.has(query) || queries.size >= MAX_PAGES)
      throw new Error(
        `${call} answered a next page that leads nowhere new: ${shortened(JSON.stringify(next))}`,
      );
  }
}

/** Answers about a list that the service lacks, or does not show to this key. */
const UNSEEN = [403, 404, 410];
const shortened = (text: string): string => text.slice(0, SHOWN_ANSWER);

async function asked(call: string, headers: Record<string, string>) {
  for (let tries = 1; ; tries++) {
    const answer = await once(call, headers, tries === MAX_TRIES);
    if (answer && (tries === MAX_TRIES || !BUSY.includes(answer.status))) return answer;
    await setTimeout(Math.min(MAX_PAUSE_MS, answer?.pause ?? 1000 * 2 ** (tries - 1)));
  }
}

/** The answer; undefined if the connection broke, and may be tried again. */
async function once(call: string, headers: Record<string, string>, isLast: boolean) {
  try {
    const answer = await fetch(call.replace(/^GET /, ""), {
      headers,
      redirect: "error",
      signal: AbortSignal.timeout(MAX_MS),
    });
    const pause = retryAfter(answer.headers.get("retry-after"));
    return { status: answer.status, text: await textOf(answer), pause };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!isLast && BROKEN.includes(codeOf(cause) ?? "")) return undefined;
    throw new Error(`${call} was not answered (${messageOf(error)}${cause ? `: ${messageOf(cause)}` : ""})`);
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
