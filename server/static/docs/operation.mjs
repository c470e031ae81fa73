import { h, inMarks } from "../console/dom.mjs";
import { fieldList, hasFields, parameterItem } from "./fields.mjs";
import { folded } from "./folded.mjs";
import { coloured, samplesOf } from "./samples.mjs";
import { trial } from "./trial.mjs";

/** A method as a word in a colour of its own. */
export const methodBadge = (method) => h("span", { class: `method ${method.toLowerCase()}` }, method);

/** An operation: in words on one side, in code on the other. */
export function operationSection(operation, document) {
  const { id, method, path, summary } = operation;
  return h(
    "section",
    { class: "operation", id, "aria-labelledby": `${id}-title` },
    h(
      "div",
      { class: "words" },
      h(
        "h2",
        { id: `${id}-title`, tabindex: "-1" },
        h("a", { href: `#${id}` }, ...inMarks(firstOf(summary))),
      ),
      h("p", { class: "route" }, methodBadge(method), " ", h("code", {}, path)),
      ...description(operation),
      ...parameters(operation, document),
      ...body(operation, document),
      ...answer(operation, document),
    ),
    h("div", { class: "code" }, samplesOf(operation), answerExample(operation), trial(operation)),
  );
}

/** The first sentence; the description has them all. */
const firstOf = (summary) => summary.split(". ")[0].replace(/\.$/, "");

function description({ summary, description }) {
  const rest = description.startsWith(`${summary}.`) ? description.slice(summary.length + 1) : description;
  const more = summary.slice(firstOf(summary).length).replace(/^\. /, "");
  const text = `${more}${more && !more.endsWith(".") ? "." : ""} ${rest}`.trim();
  return text ? [h("p", {}, ...inMarks(text))] : [];
}

const PLACES = [
  ["path", "In the path"],
  ["query", "Query"],
  ["header", "Headers"],
];

function parameters({ parameters }, document) {
  return PLACES.flatMap(([place, title]) => {
    const inPlace = parameters.filter((one) => one.in === place);
    if (inPlace.length === 0) return [];
    const list = () => h("ul", { class: "fields" }, ...inPlace.map((one) => parameterItem(one, document)));
    return place === "path"
      ? [h("h3", {}, title), list()]
      : [folded(`${title}: ${inPlace.map(({ name }) => name).join(", ")}`, list)];
  });
}

function body({ body }, document) {
  if (!body) return [];
  const isForm = body.type !== "application/json";
  return [
    h("h3", {}, isForm ? "Body, as a form" : "Body"),
    ...(hasFields(body.schema, document) ? [fieldList(body.schema, document)] : []),
  ];
}

function answer({ answer, errors }, document) {
  const { status, schema } = answer;
  return [
    schema
      ? folded(`Answer ${status}: ${document.resolve(schema).name ?? "its fields"}`, () =>
          fieldList(schema, document),
        )
      : h("p", {}, `Answer ${status}, without a body.`),
    h("p", { class: "hint" }, `Errors: ${errors.join(", ")}.`),
  ];
}

function answerExample({ answer, summary }) {
  if (answer.example === undefined) return undefined;
  const label = `${firstOf(summary)}, its answer`;
  return folded(
    `Answer ${answer.status}`,
    () =>
      h("pre", { tabindex: "0", "aria-label": label }, ...coloured(JSON.stringify(answer.example, null, 2))),
    { class: "example" },
  );
}
