import { codes, h } from "./dom.mjs";
import { addressPage, idOf } from "./links.mjs";

/** What gateways see, and nobody declares. */
const SEEN = [
  ["agents", "Agents"],
  ["tunnels", "Tunnels"],
  ["endpoints", "Endpoints"],
];

/** As many binds as people read: an agent may have a thousand. */
const MAX_BINDS = 10;

/** Leads from one list of what gateways see to the others. */
export const seenChoices = (chosen) =>
  h(
    "nav",
    { "aria-label": "What gateways see", class: "choices" },
    h(
      "ul",
      {},
      ...SEEN.map(([name, title]) =>
        h("li", {}, h("a", { href: `#/${name}`, "aria-current": name === chosen && "true" }, title)),
      ),
    ),
  );

/** The address of the page about an agent, by its session. */
export const agentPage = (session) => `#/agents/${encodeURIComponent(session)}`;

/** The agent of a session; a dash where there is none, or none that the caller may see. */
export const agentLink = (session) =>
  session ? h("a", { href: agentPage(session.id) }, idOf(session.id)) : "–";

/** An address, which leads to who may reach it. */
export const hostportLink = (hostport) => h("a", { href: addressPage(hostport) }, hostport);

/** The rules that an agent has bound: hostports, and labels. */
export function bindsOf(rules) {
  const texts = rules.map((rule) => rule.replace(/^bind:/, ""));
  if (texts.length === 0) return "nothing";
  return h(
    "ul",
    { class: "plain" },
    ...texts
      .slice(0, MAX_BINDS)
      .map((text) => h("li", {}, text.includes("=") ? codes([text]) : hostportLink(text.toLowerCase()))),
    texts.length > MAX_BINDS && h("li", { class: "hint" }, `and ${texts.length - MAX_BINDS} more`),
  );
}
