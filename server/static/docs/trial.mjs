import { h, inMarks } from "../console/dom.mjs";
import { folded } from "./folded.mjs";
import { coloured } from "./samples.mjs";
import { isDry, send, usedKey, useKey, whoTries } from "./sending.mjs";

/** Longer answers are cut on the page; 100 objects with all their modules have less. */
const MAX_SHOWN = 200_000;

/** The form that sends a request of an operation: a read, or a dry run. It is made when somebody opens it. */
export function trial(operation) {
  const { method, isReadOnly, isOpen, parameters } = operation;
  const isPlannable = parameters.some(({ name }) => name === "dry_run");
  if ((isOpen && method !== "GET") || (!isReadOnly && !isPlannable))
    return h("p", { class: "hint" }, "This call has no dry run, so this page does not send it.");
  return folded(isDry(operation) ? "Try as a dry run" : "Try", () => form(operation), { class: "trial" });
}

function form(operation) {
  const { id, parameters, body, isOpen } = operation;
  const label = (name, title, input) => [h("label", { for: `${id}-${name}` }, title), input];
  const text = (name, more = {}) =>
    h("input", { id: `${id}-${name}`, name, autocomplete: "off", spellcheck: "false", ...more });
  const asked = parameters.filter((one) => one.in !== "header" && one.name !== "dry_run");
  const key = text(".key", { type: "password", "aria-describedby": `${id}-hint` });
  const hint = h("p", { id: `${id}-hint`, class: "hint" });
  const sent = body && h("textarea", { id: `${id}-.body`, name: ".body", rows: "8", spellcheck: "false" });
  if (sent) sent.value = JSON.stringify(body.example, null, 2);
  const button = h("button", { type: "submit" }, isDry(operation) ? "Send as a dry run" : "Send");
  const answer = h("div", { class: "answer", role: "status" });
  const made = h(
    "form",
    {},
    ...(isOpen
      ? []
      : [...label(".key", "API key", key), hint, ...label(".project", "Project", text(".project"))]),
    ...asked.flatMap((one) => label(one.name, titleOf(one), inputOf(one, text))),
    ...(sent ? label(".body", "Body", sent) : []),
    button,
  );
  key.value = usedKey();
  whoTries().then((words) => {
    hint.textContent = words;
  });
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    useKey(key.value.trim());
    button.disabled = true;
    answer.replaceChildren("…");
    try {
      answer.replaceChildren(...shown(await send(operation, valuesOf(made)), operation));
    } finally {
      button.disabled = false;
    }
  });
  return [made, answer];
}

const titleOf = ({ name, required }) => [h("code", {}, name), !required && " (optional)"];

function inputOf({ name, required, example, schema }, text) {
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : undefined);
  if (!choices) return text(name, { required: required === true, placeholder: example });
  const select = h(
    "select",
    {},
    h("option", { value: "" }, ""),
    ...choices.map((one) => h("option", {}, one)),
  );
  const { id } = text(name);
  select.id = id;
  select.name = name;
  return select;
}

/** The values of a form. Names that begin with a point are no parameters. */
const valuesOf = (form) => Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));

function shown({ status, statusText, text, problem }, operation) {
  if (problem) return [h("p", { class: "problem" }, problem)];
  const kept =
    isDry(operation) && status < 400 ? ": this is what would be answered, and nothing was kept" : "";
  const title = h("p", { class: "outcome" }, h("strong", {}, `${status} ${statusText}`), kept);
  if (!text) return [title];
  const json = jsonOf(text);
  const cut = text.length > MAX_SHOWN;
  const body = cut ? [text.slice(0, MAX_SHOWN)] : coloured(json ? JSON.stringify(json, null, 2) : text);
  return [
    title,
    json?.msg && h("p", { class: "problem" }, ...inMarks(json.msg)),
    cut && h("p", { class: "hint" }, `The first ${MAX_SHOWN} of ${text.length} characters:`),
    h("pre", { tabindex: "0", "aria-label": "The answer" }, ...body),
  ].filter(Boolean);
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy answers something else
  }
}
