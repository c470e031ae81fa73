import { addressOf } from "../console/api.mjs";
import { h, inMarks } from "../console/dom.mjs";
import { ApiDocument } from "./document.mjs";
import { navigation } from "./navigation.mjs";
import { operationSection } from "./operation.mjs";
import { samplesOf } from "./samples.mjs";

const main = document.querySelector("main");
const status = document.querySelector("[role=status]");
let api;
let menu;
/** The resource whose page is shown; undefined for the first page. */
let shown;

start();

async function start() {
  status.textContent = "Loading …";
  try {
    const answer = await fetch(addressOf("/openapi.json"));
    if (!answer.ok) throw new Error(`The server answers ${answer.status}`);
    api = new ApiDocument(await answer.json());
  } catch (error) {
    main.replaceChildren(
      h("h1", {}, "The reference cannot be shown"),
      h("p", { class: "problem" }, `${error.message}. Load the page again.`),
    );
    return;
  } finally {
    status.textContent = "";
    main.removeAttribute("aria-busy");
  }
  menu = navigation(document.querySelector("nav"), api);
  addEventListener("hashchange", () => show(true));
  show(location.hash.length > 1);
}

/** Shows the page that the address names: `#TlsEdge` is a resource, `#createTlsEdge` one of its operations. */
function show(isAsked) {
  const word = decodeURIComponent(location.hash.slice(1));
  if (word === "main") return;
  const { resource, operation } = api.find(word);
  if (!main.firstChild || resource !== shown) {
    shown = resource;
    main.replaceChildren(...(resource ? resourcePage(resource) : firstPage()));
  }
  document.title = `${operation?.summary ?? resource?.title ?? "API reference"} · tunnelplane`;
  menu.show({ resource, operation });
  if (!isAsked) return;
  const target = operation && document.getElementById(`${operation.id}-title`);
  (target ?? main.querySelector("h1")).focus({ preventScroll: true });
  if (target) target.closest("section").scrollIntoView();
  else scrollTo(0, 0);
}

const resourcePage = ({ title, description, operations }) => [
  h(
    "div",
    { class: "head" },
    h("h1", { tabindex: "-1" }, title),
    h("p", { class: "lead" }, ...inMarks(description)),
  ),
  ...operations.map((operation) => operationSection(operation, api)),
];

function firstPage() {
  const { operation } = api.find("getCaller");
  return [
    h(
      "div",
      { class: "head" },
      h("h1", { tabindex: "-1" }, "API reference"),
      ...api.info.description.split("\n\n").map((text) => h("p", {}, ...inMarks(text.replaceAll("\n", " ")))),
      h(
        "p",
        {},
        "The samples read the server's address and the key from ",
        h("code", {}, "TUNNELPLANE_BASE_URL"),
        " and ",
        h("code", {}, "TUNNELPLANE_API_KEY"),
        ". Python needs nothing but itself, TypeScript ",
        h("code", {}, "@tunnelplane/sdk"),
        ". You can try each call with your key: what could change something is sent only as a dry run.",
      ),
    ),
    h("div", { class: "first" }, h("h2", {}, "Whose key is it?"), samplesOf(operation)),
    h("h2", {}, "Resources"),
    h(
      "ul",
      { class: "resources" },
      ...api.resources.map(({ name, title, description }) =>
        h("li", {}, h("a", { href: `#${name}` }, title), h("p", {}, ...inMarks(description.split(". ")[0]))),
      ),
    ),
  ];
}
