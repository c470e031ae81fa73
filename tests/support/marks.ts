import { StandInServer } from "./standIn";

/** Characters that a terminal obeys: ESC and C1, a bell, a return, DEL, marks of direction. */
export const MARKS = "\u001B[31m\u0007\r\u007F\u009B2J\u0085\u061C\u200E\u200F\u202E\u2066\u2069";
/** How these are written where they can be seen; JSON may write the first ones in its own short form. */
export const ESCAPED = "\\u007f\\u009b2J\\u0085\\u061c\\u200e\\u200f\\u202e\\u2066\\u2069";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

/** The place in a text where a terminal would obey it; undefined if it nowhere would. */
export function obeyedIn(text: string): string | undefined {
  const at = text.search(OBEYED);
  return at < 0 ? undefined : JSON.stringify(text.slice(Math.max(0, at - 60), at + 20));
}

/** Texts whose form a client relies on: ids, addresses, times, PEM, keys, and the gateway's name in tests. */
const FORMED = /^east$|^\w+_[0-9A-Za-z]{20,}$|^https?:|^\d{4}-\d\d-\d\dT|^-----|^(ssh|ecdsa)-/;
const FORMED_FIELDS =
  /^(kind|op|type|state|role|severity|status|rule|error_code|match_type|action|format|cidr|address|private_key_type|terminate_at|min_version|hash|digest)$/;

export function marked<T>(value: T, field = ""): T {
  if (Array.isArray(value)) return value.map((item) => marked(item, field)) as T;
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, marked(item, name)])) as T;
  if (typeof value !== "string" || value.endsWith(MARKS) || FORMED.test(value) || FORMED_FIELDS.test(field))
    return value;
  return (value + MARKS) as T;
}

/** A proxy that puts marks into every free text of a server's answers, as a server could that is not ours. */
export async function markingProxy(server: string): Promise<StandInServer> {
  return StandInServer.start(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method = "GET", url } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value !== "string" || /^(host|connection|content-length|transfer-encoding)$/.test(name)
          ? []
          : [[name, value]],
      ),
    );
    const answer = await fetch(server + url, { method, headers, ...(body.length > 0 && { body }) });
    const text = await answer.text();
    const isJson = text !== "" && answer.headers.get("content-type")?.includes("json");
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(isJson ? JSON.stringify(marked(JSON.parse(text))) : text);
  });
}
