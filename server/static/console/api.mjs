/**
 * The API under the path that the console itself has. The key is kept here, in memory, and nowhere else: a
 * reload forgets it.
 */
const base = new URL(".", document.baseURI);
let key = "";

export class Refusal extends Error {
  constructor(status, body) {
    super(body?.msg ?? `The server answers ${status}`);
    this.status = status;
    this.code = body?.error_code ?? "";
  }
}

export const useKey = (text) => {
  key = text;
};

/** Reads what the API has at a path. */
export async function get(path) {
  const answer = await fetch(new URL(path.replace(/^\//, ""), base), {
    headers: { authorization: `Bearer ${key}`, "service-version": "2" },
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  }).catch(() => undefined);
  if (!answer) throw new Refusal(0, { msg: "The server does not answer; check that it runs" });
  const body = await answer.json().catch(() => undefined);
  if (!answer.ok) throw new Refusal(answer.status, body);
  return body;
}

/** A page of a list, as `pages` takes it. */
export async function page(path, listKey) {
  const body = await get(path);
  return { items: body[listKey], nextPage: body.next_page_uri && pathOf(body.next_page_uri) };
}

/** The path of an address within the API, whatever its server is called from elsewhere. */
export function pathOf(uri) {
  const { pathname, search } = new URL(uri);
  const path = pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length) : pathname.slice(1);
  return `/${path}${search}`;
}
