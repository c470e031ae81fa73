import { addressOf, get } from "../console/api.mjs";

/** The key is kept here, in memory, and nowhere else: a reload forgets it. */
let key = "";
let session;

export const useKey = (text) => {
  key = text;
};

/** Whether a request for an operation is a dry run: all that could change something are. */
export const isDry = ({ isReadOnly }) => !isReadOnly;

/** The API key of the last request; "" for none. */
export const usedKey = () => key;

/** Tells as whom a request without an API key is sent. */
export async function whoTries() {
  session ??= await get("/session").catch(() => ({}));
  return session.user
    ? `Without a key, you try as ${session.user.name}, who is signed in.`
    : "It stays in this page's memory: a reload forgets it.";
}

/**
 * Sends a request of an operation with the values of a form. Returns the answer as text, or the problem. No
 * other code of these pages sends such requests.
 */
export async function send(operation, { ".project": project, ".body": body, ...values }) {
  const { method, path, parameters } = operation;
  if (body !== undefined && !isJson(body))
    return { problem: `The body is not valid JSON: ${mistakeIn(body)}` };
  const query = new URLSearchParams();
  for (const { name, in: location } of parameters)
    if (location === "query" && values[name]) query.set(name, values[name]);
  if (isDry(operation)) query.set("dry_run", "true");
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
  const answer = await fetch(addressOf(`${filled}${query.size > 0 ? `?${query}` : ""}`), {
    method,
    headers: {
      "service-version": "2",
      ...(key && { authorization: `Bearer ${key}` }),
      ...(!key && session?.csrf_token && { "x-csrf-token": session.csrf_token }),
      ...(project && { "tunnelplane-project": project }),
      ...(body && { "content-type": "application/json" }),
    },
    body,
    credentials: key ? "omit" : "same-origin",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  }).catch(() => undefined);
  if (!answer) return { problem: "The server does not answer; check that it runs." };
  return { status: answer.status, statusText: answer.statusText, text: await answer.text() };
}

const isJson = (text) => mistakeIn(text) === undefined;

function mistakeIn(text) {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error.message;
  }
}
