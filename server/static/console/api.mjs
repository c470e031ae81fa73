/**
 * The API under the path that the console itself has. A key is kept here, in memory, and nowhere else: a
 * reload forgets it. Of a session, the browser keeps the cookie, which no script can read.
 */
const base = new URL(".", document.baseURI);
let key = "";
let project = "";
let csrfToken = "";

/** An answer that is an error, or none at all: then its status is 0. */
export class Refusal extends Error {
  constructor(status, body, headers) {
    super(body?.msg ?? `The server, or a proxy before it, answers ${status} and does not say why`);
    this.status = status;
    this.code = body?.error_code ?? "";
    this.field = body?.details?.field;
    this.operationId = body?.details?.operation_id ?? headers?.get("x-request-id") ?? undefined;
    /** In seconds. */
    this.retryAfter = Number(headers?.get("retry-after")) || undefined;
  }
}

export const useKey = (text) => {
  key = text;
  csrfToken = "";
};

/** Asks from now on about a project, by its name; "" is the one that the server chooses for the key. */
export const useProject = (name) => {
  project = name;
};

/** Works in the session of this browser. */
export const useSession = (token) => {
  key = "";
  csrfToken = token;
};

/** Whether it works in a session, and not with a key. */
export const isInSession = () => csrfToken !== "";

/** The address of a page of the server. */
export const addressOf = (path) => new URL(path.replace(/^\//, ""), base).href;

/** Reads what the API has at a path. */
export const get = (path) => request(path, "GET");

/** Asks for an answer to a body. The console asks only what changes no object, ends sessions, and signs out. */
export const ask = (path, body) => request(path, "POST", body);

/** Removes what the API has at a path. */
export const remove = (path) => request(path, "DELETE");

async function request(path, method, body) {
  const answer = await fetch(addressOf(path), {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(csrfToken && { "x-csrf-token": csrfToken }),
      "service-version": "2",
      ...(project && { "tunnelplane-project": project }),
      ...(body && { "content-type": "application/json" }),
    },
    body: body && JSON.stringify(body),
    credentials: key ? "omit" : "same-origin",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  }).catch(() => undefined);
  if (!answer)
    throw new Refusal(0, {
      msg: `${base.host} does not answer: check that the server runs, and that this computer reaches it`,
    });
  const answered = await answer.json().catch(() => undefined);
  if (!answer.ok) throw new Refusal(answer.status, answered, answer.headers);
  return answered;
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
