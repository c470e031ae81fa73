import { agentLink } from "./agentLinks.mjs";
import { get, page } from "./api.mjs";
import { badge, h, row, state, table, time } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";

/** Gateways that reported in the last seven days. */
export async function gateways() {
  const list = pages({
    caption: "Gateways, by name",
    columns: ["Gateway", "Last report", "Version", "Envoy", "Event", "Edges served", "Edges rejected"],
    first: await page("/gateways?limit=100", "gateways"),
    next: (path) => page(path, "gateways"),
    rowOf: (one) =>
      row(
        h("a", { href: `#/gateway/${encodeURIComponent(one.name)}` }, one.name),
        time(one.last_seen),
        one.version || "–",
        one.envoy_version || "–",
        one.sequence === undefined ? "–" : String(one.sequence),
        badge(String(one.applied)),
        one.rejected > 0 ? state(String(one.rejected), "bad") : badge("0"),
      ),
    empty: nothing("No gateway has reported in the last seven days.", {
      next: "A gateway serves what is declared. Start one beside Envoy, with an API key of a bot of the role gateway:",
      snippet:
        "tunnelplane-gateway run --certs /etc/tunnelplane/certs --listen 0.0.0.0:443 --state /var/lib/tunnelplane-gateway",
      more: guide("gateway.md", "Gateways, step by step"),
    }),
  });
  return {
    title: "Gateways",
    nodes: [h("p", { class: "lead" }, "What gateways said that they serve."), list],
  };
}

/** What a gateway serves, and which agents are connected to it. */
export async function gateway([name = ""]) {
  const one = await get(`/gateways/${name}`);
  const edges = one.edges.toSorted((a, b) => (a.state === b.state ? 0 : a.state === "rejected" ? -1 : 1));
  return {
    title: `Gateway ${one.name}`,
    nodes: [
      h(
        "p",
        { class: "lead" },
        "Last report ",
        time(one.last_seen),
        one.sequence === undefined ? "." : `, at event ${one.sequence}.`,
      ),
      h("h2", {}, "Edges"),
      edges.length === 0
        ? h("p", { class: "empty" }, "It serves none.")
        : table(
            "Edges, rejected ones first",
            ["Edge", "State", "Why"],
            edges.map(({ state: served, reason, ...edge }) =>
              row(objectLink(edge), state(served, served === "rejected" ? "bad" : "ok"), reason || "–"),
            ),
          ),
      h("h2", {}, "Agents"),
      one.agents.length === 0
        ? h("p", { class: "empty" }, "None is connected.")
        : table(
            "Agents",
            ["Credential", "Serves", "From", "Since", "Session"],
            one.agents.map(({ credential, resource_name, bind, address, since, session }) =>
              row(
                objectLink({ id: credential, resource_name }),
                bind.join(", "),
                address,
                time(since),
                agentLink(session && { id: session }),
              ),
            ),
          ),
      one.other_agents > 0 &&
        h("p", { class: "hint" }, `And ${one.other_agents} agents of credentials of others.`),
    ].filter(Boolean),
  };
}
