import { isObject } from "./core/narrow";

/** A request to show in code. */
export interface SampleRequest {
  readonly method: string;
  /** With its ids and its query, below the base URL. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether the body is a form. Default: JSON. */
  readonly isForm?: boolean | undefined;
  /** Whether it needs no API key. */
  readonly isOpen?: boolean | undefined;
  /** Whether the answer has no body. */
  readonly isEmpty?: boolean | undefined;
}

/** How the client of `@tunnelplane/sdk` sends a request. */
export interface SampleCall {
  /** The member that is called, for example `tlsEdges.create`. */
  readonly member: string;
  /** The values of its parameters. */
  readonly values: readonly unknown[];
  /** Whether it gives one object after the other. */
  readonly isList?: boolean;
}

/** A request as a command line of curl. */
export function curlSample({ method, path, body, isForm, isOpen }: SampleRequest): string {
  const most = body === undefined ? "GET" : "POST";
  const lines = [
    `curl ${method === most ? "" : `-X ${method} `}"$TUNNELPLANE_BASE_URL${path}"`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TUNNELPLANE_API_KEY"`, `-H "Service-Version: 2"`]),
    ...(body === undefined
      ? []
      : isForm
        ? formOf(body).map(([name, value]) => `--data-urlencode ${inShell(`${name}=${value}`)}`)
        : [`-H "Content-Type: application/json"`, `-d ${inShell(JSON.stringify(body, null, 2))}`]),
  ];
  return `${lines.join(" \\\n  ")}\n`;
}

/** A request as a program in Python that needs nothing but Python 3. */
export function pythonSample({ method, path, body, isForm, isOpen, isEmpty }: SampleRequest): string {
  const headers = [
    ...(isOpen
      ? []
      : [
          `        "Authorization": "Bearer " + os.environ["TUNNELPLANE_API_KEY"],`,
          `        "Service-Version": "2",`,
        ]),
    ...(body === undefined || isForm ? [] : [`        "Content-Type": "application/json",`]),
  ];
  const data = isForm
    ? `urlencode(${inPython(Object.fromEntries(formOf(body)), "    ")}).encode()`
    : `json.dumps(${inPython(body, "    ")}).encode()`;
  return `import json
import os
from urllib.error import HTTPError
${isForm ? "from urllib.parse import urlencode\n" : ""}from urllib.request import Request, urlopen

request = Request(
    os.environ["TUNNELPLANE_BASE_URL"] + ${JSON.stringify(path)},
    method="${method}",
${headers.length > 0 ? `    headers={\n${headers.join("\n")}\n    },\n` : ""}${body === undefined ? "" : `    data=${data},\n`})
try:
    with urlopen(request) as answer:
        print(${isEmpty ? "answer.status" : "json.load(answer)"})
except HTTPError as refusal:
    raise SystemExit(json.load(refusal)["msg"])
`;
}

/** A request as a program in TypeScript, with the client where there is a call for it. */
export function typescriptSample(request: SampleRequest, call?: SampleCall): string {
  if (request.isOpen) return fetchSample(request);
  return `import { Tunnelplane } from "@tunnelplane/sdk";

const api = new Tunnelplane({
  baseUrl: process.env.TUNNELPLANE_BASE_URL ?? "",
  apiKey: process.env.TUNNELPLANE_API_KEY ?? "",
});
${call ? called(call, request) : requested(request)}
await api.close();
`;
}

function called({ member, values, isList }: SampleCall, { isEmpty }: SampleRequest): string {
  const call = `api.${member}(${values.map((value) => inTypescript(value, "")).join(", ")})`;
  if (isList) return `for await (const one of ${call}) console.log(one);`;
  return isEmpty ? `await ${call};` : `const answer = await ${call};\nconsole.log(answer);`;
}

function requested({ method, path, body, isEmpty }: SampleRequest): string {
  const values = [method, path, ...(body === undefined ? [] : [body])];
  const call = `await api.transport.request(${values.map((value) => inTypescript(value, "")).join(", ")})`;
  return isEmpty ? `${call};` : `const { body } = ${call};\nconsole.log(body);`;
}

function fetchSample({ method, path, body, isForm, isEmpty }: SampleRequest): string {
  const sent = isForm
    ? `new URLSearchParams(${inTypescript(Object.fromEntries(formOf(body)), "  ")})`
    : `JSON.stringify(${inTypescript(body, "  ")})`;
  const settings = [
    ...(method === "GET" ? [] : [`  method: "${method}",\n`]),
    ...(body === undefined || isForm ? [] : [`  headers: { "Content-Type": "application/json" },\n`]),
    ...(body === undefined ? [] : [`  body: ${sent},\n`]),
  ];
  const more = settings.length > 0 ? `, {\n${settings.join("")}}` : "";
  return `const baseUrl = process.env.TUNNELPLANE_BASE_URL ?? "";
const answer = await fetch(baseUrl + ${JSON.stringify(path)}${more});
console.log(${isEmpty ? "answer.status" : "await answer.json()"});
`;
}

const formOf = (body: unknown): [string, string][] =>
  Object.entries(isObject(body) ? body : {}).map(([name, value]) => [name, String(value)]);

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The spelling of a language. */
interface Spelling {
  readonly step: string;
  readonly name: (text: string) => string;
  readonly word: (value: unknown) => string;
}

const PYTHON: Spelling = {
  step: "    ",
  name: (text) => JSON.stringify(text),
  word: (value) =>
    value === null ? "None" : value === true ? "True" : value === false ? "False" : JSON.stringify(value),
};
const TYPESCRIPT: Spelling = {
  step: "  ",
  name: (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : JSON.stringify(text)),
  word: (value) => JSON.stringify(value),
};
const inPython = (value: unknown, indent: string): string => literal(value, indent, PYTHON);
const inTypescript = (value: unknown, indent: string): string => literal(value, indent, TYPESCRIPT);

/** A list that is longer takes a line for each of its values. */
const MAX_LIST_LENGTH = 60;

/** A value as a language writes it; its lines, but for the first one, are indented. */
function literal(value: unknown, indent: string, spelling: Spelling): string {
  const { step, name, word } = spelling;
  const inner = indent + step;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one, inner, spelling))
    : isObject(value)
      ? Object.entries(value).map(([field, one]) => `${name(field)}: ${literal(one, inner, spelling)}`)
      : undefined;
  if (!parts) return word(value);
  const [open, close] = isList ? "[]" : "{}";
  const line = parts.join(", ");
  if (parts.length === 0 || (isList && line.length <= MAX_LIST_LENGTH && !line.includes("\n")))
    return `${open}${line}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}
