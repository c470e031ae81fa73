import { agents } from "./agents.mjs";
import { addressOf, ask, get, isInSession, Refusal, useKey, useProject, useSession } from "./api.mjs";
import { audit } from "./audit.mjs";
import { deliveries } from "./deliveries.mjs";
import { h } from "./dom.mjs";
import { endpoints } from "./endpoints.mjs";
import { address, exposure } from "./exposure.mjs";
import { gateway, gateways } from "./gateways.mjs";
import { guarantees } from "./guarantees.mjs";
import { object } from "./object.mjs";
import { objects } from "./objects.mjs";
import { problemOf, titleOf } from "./problems.mjs";
import { find, isTyping, SearchField } from "./search.mjs";
import { sessions } from "./sessions.mjs";
import { tunnels } from "./tunnels.mjs";
import { maySeeAgents, me, projectSwitch, seesAll, whoIs } from "./who.mjs";

const main = document.querySelector("main");
const nav = document.querySelector("nav");
const who = document.querySelector(".who");
const search = document.querySelector(".search");
const status = document.querySelector("[role=status]");

/** The sections, by the first word behind the #. */
const VIEWS = {
  __proto__: null, // anything may stand behind the #
  exposure,
  address,
  guarantees,
  objects,
  object,
  find,
  deliveries,
  audit,
  sessions,
  gateways,
  gateway,
  agents,
  tunnels,
  endpoints,
  me,
};
/** Views without an entry of their own among the sections. */
const SECTIONS = {
  __proto__: null,
  address: "exposure",
  object: "objects",
  find: "objects",
  gateway: "gateways",
  tunnels: "agents",
  endpoints: "agents",
};
/** The section that a view belongs to. */
const sectionOf = (view) => SECTIONS[view] ?? (VIEWS[view] ? view : "exposure");
let caller;
/** Opens the search; undefined while nobody is signed in. */
let openSearch;
/** Whether the server has an identity provider, at which people sign in. */
let canSignIn = false;
/** Counts what was asked for, so that a slow answer does not replace a later one. */
let turn = 0;

start();
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey || !openSearch || isTyping(event)) return;
  event.preventDefault();
  openSearch();
});

/** Goes on in the session of this browser, or asks who it is. */
async function start() {
  try {
    const { user, csrf_token: token, sign_in: isOpen } = await get("/session");
    canSignIn = isOpen;
    if (!user) return signIn();
    useSession(token);
    caller = await enter();
  } catch (error) {
    return signIn(problemOf(error, { again: start }));
  }
  await welcome();
}

/** @param message an element, or a text; why one has to sign in again */
function signIn(message) {
  caller = undefined;
  useKey("");
  nav.hidden = true;
  openSearch = undefined;
  search.replaceChildren();
  who.replaceChildren();
  const input = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-hint",
  });
  const problem = h("div", { role: "alert" }, message);
  const link =
    canSignIn &&
    h(
      "p",
      {},
      h(
        "a",
        {
          class: "button",
          href: addressOf(
            `/sign_in?return_to=${encodeURIComponent(`/console${location.search}${location.hash}`)}`,
          ),
        },
        "Sign in",
      ),
    );
  const form = h(
    "form",
    { class: "sign-in" },
    h("h1", {}, "Console"),
    h(
      "p",
      {},
      "Who can reach what, what refers to what, and what became of events. No object can be changed here.",
    ),
    link,
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
    problem.replaceChildren();
    try {
      caller = await enter();
    } catch (error) {
      useKey("");
      problem.replaceChildren(problemOf(error));
      input.focus();
      return;
    }
    await welcome();
  });
  main.replaceChildren(form);
  document.title = "Sign in · tunnelplane console";
  (form.querySelector("a") ?? input).focus();
}

async function signOut() {
  try {
    if (isInSession()) await ask("/sign_out");
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 401)) {
      main.prepend(problemOf(error, { again: signOut }));
      return;
    }
  }
  signIn("You have signed out.");
}

/** Says to a user without a role who it is, for the admin who gives it one. */
function waitForRole() {
  nav.hidden = true;
  const heading = h("h1", { tabindex: "-1" }, "You have no role here yet");
  main.replaceChildren(
    heading,
    h("p", {}, "An admin gives you one with a membership. You are ", h("code", {}, caller.owner_id), "."),
  );
  document.title = "No role yet · tunnelplane console";
  heading.focus();
}

/** The project that the page's address names. A reload keeps it, and links lead to it. */
const chosen = () => new URLSearchParams(location.search).get("project") ?? "";

/** The caller in the chosen project, or in another one if there is none of that name for it. */
async function enter() {
  useProject(chosen());
  try {
    return await get("/caller");
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404 && chosen())) throw error;
    choose("");
    return get("/caller");
  }
}

/** Goes on in a project, on the first page of the section: objects of one project are in no other. */
function choose(name) {
  const [, view = ""] = location.hash.split("/");
  history.replaceState(null, "", `${name ? `?project=${name}` : location.pathname}#/${sectionOf(view)}`);
  useProject(name);
}

async function change(name) {
  choose(name);
  try {
    caller = await enter();
  } catch (error) {
    return signIn(problemOf(error));
  }
  await welcome();
}

async function welcome() {
  who.replaceChildren(
    ...projectSwitch(caller, chosen(), change),
    h("a", { href: "#/me" }, whoIs(caller)),
    h("button", { type: "button", onclick: signOut }, "Sign out"),
  );
  if (caller.role === null) return waitForRole();
  const field = new SearchField();
  search.replaceChildren(field.form);
  openSearch = () => field.focus();
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
    ...(maySeeAgents(caller) ? [["agents", "Agents"]] : []),
    ...(caller.role === "admin" ? [["audit", "Audit log"]] : []),
    ...(caller.account_role === "admin" ? [["sessions", "Sessions"]] : []),
  ];
  nav.replaceChildren(
    h(
      "ul",
      { class: "sections" },
      ...sections.map(([name, title]) => h("li", {}, h("a", { href: `#/${name}` }, title))),
    ),
  );
  nav.hidden = false;
  await show();
}

async function show() {
  if (!caller?.role) return;
  const [, name = "", ...rest] = location.hash.replace(/^#/, "").split("/");
  const view = VIEWS[name] ?? exposure;
  const mine = ++turn;
  status.textContent = "Loading …";
  main.setAttribute("aria-busy", "true");
  // The page that comes replaces its forms: what somebody would choose in them now would be lost.
  for (const control of main.querySelectorAll("form :is(input, select, textarea, button)"))
    control.disabled = true;
  let content;
  try {
    content = await view(rest, caller);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return signIn(problemOf(error));
    content = {
      title: titleOf(error),
      nodes: [problemOf(error, { again: show, caller: whoIs(caller) })],
    };
  }
  if (mine !== turn) return;
  const heading = h("h1", { tabindex: "-1" }, content.title);
  main.replaceChildren(heading, ...content.nodes);
  main.removeAttribute("aria-busy");
  document.title = `${content.title} · tunnelplane console`;
  status.textContent = "";
  const section = sectionOf(name);
  for (const link of nav.querySelectorAll("a")) {
    if (link.getAttribute("href") === `#/${section}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}
