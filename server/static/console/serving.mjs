import { h, row, state, table, time } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { guide } from "./lists.mjs";

/** A gateway counts as silent if its last report is older than this: it reports every 30 s. */
const SILENT_MS = 120_000;

/**
 * Which gateways serve an address now, and which agents are there for it.
 * @param one a row of the exposure of one address
 */
export function servingOf(one, heading) {
  const gateways = (one.gateways ?? []).map((gateway) => ({ ...gateway, isServing: isServing(gateway) }));
  const names = new Map(one.served_by.credentials.map((credential) => [credential.id, credential.name]));
  return h(
    "section",
    { "aria-label": `Gateways and agents of ${one.address}`, class: "serving" },
    h(heading, {}, "Is it served now?"),
    h("p", {}, ...verdictOf(gateways, one.goes_to)),
    gateways.length > 0 &&
      table(
        "Gateways that reported the edge",
        ["Gateway", "State", "Last report", "Agents there"],
        gateways.map((gateway) =>
          row(
            h("a", { href: `#/gateway/${encodeURIComponent(gateway.name)}` }, gateway.name),
            [stateOf(gateway), gateway.reason && h("p", { class: "hint" }, gateway.reason)],
            time(gateway.last_seen),
            agentsOf(gateway, names),
          ),
        ),
      ),
  );
}

const isServing = ({ state: reported, last_seen: lastSeen }) => reported === "applied" && !isSilent(lastSeen);
const isSilent = (lastSeen) => Date.now() - Date.parse(lastSeen) > SILENT_MS;

/** The answer in one sentence. */
function verdictOf(gateways, target) {
  const serving = gateways.filter((gateway) => gateway.isServing);
  if (gateways.length === 0)
    return [
      state("not served", "bad"),
      " No gateway has reported its edge in the last seven days. Start one with ",
      h("code", {}, "tunnelplane-gateway run"),
      ": ",
      guide("gateway.md", "how to run a gateway"),
      ".",
    ];
  if (serving.length === 0) {
    const silent = gateways.filter((gateway) => gateway.state === "applied");
    return silent.length === 0
      ? [state("not served", "bad"), " Each gateway rejects its edge; the reasons are below."]
      : [
          state("not known", "unknown"),
          ` ${listed(silent.map(({ name }) => name))} served it, and ${silent.length > 1 ? "are" : "is"} silent now: check that the gateway runs, and that it reaches this server.`,
        ];
  }
  const by = ` ${listed(serving.map(({ name }) => name))} ${serving.length > 1 ? "serve" : "serves"} it`;
  const needs = needsAgents(target);
  if (needs === "no") return [state("served", "ok"), `${by}. It needs no agent.`];
  const agents = serving.flatMap((gateway) => gateway.agents);
  const count = agents.length + serving.reduce((sum, gateway) => sum + gateway.other_agents, 0);
  if (count === 0)
    return [
      state(needs === "all" ? "no agent" : "no agent for a part", needs === "all" ? "bad" : "warning"),
      `${by}, but no agent is there: what goes to tunnels gets no answer. Connect one with `,
      h("code", {}, "ssh -R"),
      ": ",
      guide("gateway.md#agents", "how agents connect"),
      ".",
    ];
  const [first] = agents.map(({ since }) => since).toSorted();
  return [
    state("served", "ok"),
    `${by}, and ${count === 1 ? "an agent is" : `${count} agents are`} there`,
    ...(first ? [", since ", time(first)] : []),
    ".",
  ];
}

const stateOf = ({ state: reported, last_seen: lastSeen }) =>
  reported === "rejected"
    ? state("rejected", "bad")
    : isSilent(lastSeen)
      ? state("silent", "unknown")
      : state("serves it", "ok");

function agentsOf({ agents, other_agents: others }, names) {
  if (agents.length + others === 0) return "none";
  return h(
    "ul",
    {},
    ...agents.map(({ credential, resource_name, address, since }) =>
      h(
        "li",
        {},
        objectLink({ id: credential, resource_name, name: names.get(credential) }),
        ` from ${address}, since `,
        time(since),
      ),
    ),
    others > 0 && h("li", {}, agents.length === 0 ? `${others} that you may not see` : `${others} more`),
  );
}

/** Whether `all`, a `part` or `no` traffic goes to agents. */
function needsAgents(target) {
  const below = target.parts?.map(({ to }) => to) ?? target.in_order;
  if (!below) return ["tunnels", "tunnel_group"].includes(target.kind) ? "all" : "no";
  const each = new Set(below.map(needsAgents));
  return each.size === 1 ? [...each][0] : each.size === 0 ? "no" : "part";
}

const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
