import { get, Refusal, useKey } from "./api.mjs";
import { audit } from "./audit.mjs";
import { deliveries } from "./deliveries.mjs";
import { h } from "./dom.mjs";
import { address, exposure } from "./exposure.mjs";
import { gateway, gateways } from "./gateways.mjs";
import { guarantees } from "./guarantees.mjs";
import { object, objects } from "./objects.mjs";
import { seesAll, whoIs } from "./who.mjs";

const main = document.querySelector("main");
const nav = document.querySelector("nav");
const who = document.querySelector(".who");
const status = document.querySelector("[role=status]");

/** The sections, by the first word behind the #. */
const VIEWS = {
  exposure,
  address,
  guarantees,
  objects,
  object,
  deliveries,
  audit,
  gateways,
  gateway,
};
let caller;
/** Counts what was asked for, so that a slow answer does not replace a later one. */
let turn = 0;

signIn();
addEventListener("hashchange", show);

function signIn(message) {
  caller = undefined;
  useKey("");
  nav.hidden = true;
  who.replaceChildren();
  const input = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-hint",
  });
  const problem = h("p", { role: "alert", class: "problem" }, message ?? "");
  const form = h(
    "form",
    { class: "sign-in" },
    h("h1", {}, "Console"),
    h(
      "p",
      {},
      "Who can reach what, what refers to what, and what became of events. Nothing can be changed here.",
    ),
    h("label", { for: "key" }, "API key"),
    input,
    h(
      "p",
      { id: "key-hint", class: "hint" },
      "It stays in this page's memory: a reload or a closed tab forgets it.",
    ),
    h("button", { type: "submit" }, "Open the console"),
    problem,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    useKey(input.value.trim());
    input.value = "";
    try {
      caller = await get("/caller");
    } catch (error) {
      useKey("");
      problem.textContent =
        error instanceof Refusal && error.status === 401
          ? "This key is not known here, or has expired."
          : error.message;
      input.focus();
      return;
    }
    await welcome();
  });
  main.replaceChildren(form);
  document.title = "Sign in · tunnelplane console";
  input.focus();
}

async function welcome() {
  const hasGateways = await get("/gateways?limit=1").then(
    () => true,
    () => false,
  );
  const sections = [
    ["exposure", "Exposure"],
    ["guarantees", "Guarantees"],
    ["objects", "Objects"],
    ...(seesAll(caller) ? [["deliveries", "Deliveries"]] : []),
    ...(hasGateways ? [["gateways", "Gateways"]] : []),
    ...(caller.role === "admin" ? [["audit", "Audit log"]] : []),
  ];
  nav.replaceChildren(
    h(
      "ul",
      { class: "sections" },
      ...sections.map(([name, title]) => h("li", {}, h("a", { href: `#/${name}` }, title))),
    ),
  );
  nav.hidden = false;
  who.replaceChildren(
    h("span", {}, whoIs(caller)),
    h("button", { type: "button", onclick: () => signIn("You have signed out.") }, "Sign out"),
  );
  await show();
}

async function show() {
  if (!caller) return;
  const [, name = "", ...rest] = location.hash.replace(/^#/, "").split("/");
  const view = VIEWS[name] ?? exposure;
  const mine = ++turn;
  status.textContent = "Loading …";
  main.setAttribute("aria-busy", "true");
  let content;
  try {
    content = await view(rest, caller);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return signIn("Your key is not accepted any more.");
    content = { title: "That cannot be shown", nodes: [h("p", { class: "problem" }, error.message)] };
  }
  if (mine !== turn) return;
  const heading = h("h1", { tabindex: "-1" }, content.title);
  main.replaceChildren(heading, ...content.nodes);
  main.removeAttribute("aria-busy");
  document.title = `${content.title} · tunnelplane console`;
  status.textContent = "";
  const section =
    { address: "exposure", object: "objects", gateway: "gateways" }[name] ??
    (VIEWS[name] ? name : "exposure");
  for (const link of nav.querySelectorAll("a")) {
    if (link.getAttribute("href") === `#/${section}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}
