import { Refusal } from "./api.mjs";
import { CURES } from "./cures.mjs";
import { h, inMarks } from "./dom.mjs";

/** Headings for pages that cannot be shown, by the status of the answer; 0 if there is none. */
const TITLES = {
  0: "The server does not answer",
  403: "You may not see this",
  404: "There is nothing here",
  429: "Too many requests",
};

/** The heading of a page in the place of which there is an error. */
export const titleOf = ({ status }) =>
  TITLES[status] ?? (status >= 500 ? "The server failed" : "The server refused this");

/**
 * An error as people see it: the server's sentence, what to do, and by which id its log has the request.
 * @param again tries once more; there is a button for it
 * @param caller who asked, for those who may not
 */
export function problemOf(error, { again, caller } = {}) {
  if (!(error instanceof Refusal)) {
    return box([
      sentence(`This page has a fault: ${error.message}. Load it again; if that does not help, report it.`),
    ]);
  }
  const { code, status, field, operationId, retryAfter } = error;
  const facts = [
    field && ["Field", field],
    code && ["Code", code],
    operationId && ["Request", operationId],
  ].filter(Boolean);
  return box([
    sentence(error.message),
    CURES[code] && h("p", {}, inMarks(CURES[code])),
    status === 403 && caller && h("p", {}, "You are ", h("a", { href: "#/me" }, caller), "."),
    retryAfter && h("p", {}, `The server takes requests of yours again in ${retryAfter} s.`),
    facts.length > 0 &&
      h(
        "dl",
        { class: "facts" },
        ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, h("code", {}, value))]),
      ),
    again && mayEnd(status) && h("button", { type: "button", onclick: again }, "Try again"),
  ]);
}

/** Whether the same request may be answered later. */
const mayEnd = (status) => status === 0 || status === 429 || status >= 500;

const sentence = (text) => h("p", { class: "sentence" }, inMarks(/[.!?]$/.test(text) ? text : `${text}.`));
const box = (parts) => h("div", { class: "refusal", role: "alert" }, ...parts);
