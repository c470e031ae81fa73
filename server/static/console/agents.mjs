import { endButtons } from "./agentEnds.mjs";
import { agentPage, bindsOf, seenChoices } from "./agentLinks.mjs";
import { get, page } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { idOf, objectLink, trailOf } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { namesOfReferred } from "./referred.mjs";
import { mayEndAgents } from "./who.mjs";

/** The limit on gateways that are read to know where agents are: those that reported last. */
const MAX_GATEWAYS = 50;
const FIRST = "/tunnel_sessions?limit=100";
const LEAD =
  "The agents that are connected now and have bound something: each is a tunnel session. Members see those of their own credentials.";

/** Agents that are connected, or one of them: sessions of agents, which are not those of people. */
export async function agents([id], caller) {
  const mayEnd = mayEndAgents(caller);
  const [first, places] = await Promise.all([id ? oneSession(id) : sessionsAt(FIRST), placesOfSessions()]);
  const columns = ["Credential", "Has bound", "Gateway", "From", "Since", "SSH client"];
  const list = pages({
    caption: id ? "The agent" : "Agents, newest session first",
    columns: mayEnd ? [...columns, "End"] : columns,
    first,
    next: sessionsAt,
    rowOf: (one) => {
      const place = places.get(one.id);
      const name = place?.resource_name || one.credentialName;
      const cells = [
        objectLink({ ...one.credential, name }),
        place ? bindsOf(place.bind) : "not known",
        place
          ? h("a", { href: `#/gateway/${encodeURIComponent(place.gateway)}` }, place.gateway)
          : "not known",
        one.ip,
        [
          time(one.started_at),
          h("div", {}, id ? idOf(one.id) : h("a", { href: agentPage(one.id) }, idOf(one.id))),
        ],
        one.agent_version || "–",
      ];
      return mayEnd ? row(...cells, endButtons(one, name || one.credential.id)) : row(...cells);
    },
    empty: noAgent(),
  });
  return id
    ? { title: "An agent", nodes: [trailOf([h("a", { href: "#/agents" }, "Agents")]), list] }
    : { title: "Agents", nodes: [seenChoices("agents"), h("p", { class: "lead" }, LEAD), list] };
}

/** What to do to have the first agent. */
export const noAgent = () =>
  nothing("No agent is connected.", {
    next: "An agent is stock OpenSSH, which logs in with the key of an SSH credential or with a token:",
    snippet: "ssh -N -p 2222 -R app.example.com:443:localhost:8080 agent@gateway.example.com",
    more: guide("gateway.md#agents", "How agents connect"),
  });

/** A page of sessions, each with the name of its credential. */
const sessionsAt = async (path) => withNames(await page(path, "tunnel_sessions"));

const oneSession = async (id) =>
  withNames({ items: [await get(`/tunnel_sessions/${encodeURIComponent(id)}`)], nextPage: null });

async function withNames({ items, nextPage }) {
  const names = await namesOfReferred(items.map(({ credential }) => credential));
  return {
    items: items.map((one) => ({ ...one, credentialName: names.get(one.credential.id) })),
    nextPage,
  };
}

/**
 * The gateway and the binds of each session, which gateways report. None where the caller may not see
 * gateways: the list of sessions is worth showing without them.
 */
async function placesOfSessions() {
  const { items } = await page("/gateways?limit=100", "gateways").catch(() => ({ items: [] }));
  const latest = items.toSorted((a, b) => b.last_seen.localeCompare(a.last_seen)).slice(0, MAX_GATEWAYS);
  const all = await Promise.all(
    latest.map(async ({ name }) => {
      const { agents: there } = await get(`/gateways/${encodeURIComponent(name)}`).catch(() => ({
        agents: [],
      }));
      return there
        .filter(({ session }) => session)
        .map((agent) => [agent.session, { ...agent, gateway: name }]);
    }),
  );
  return new Map(all.flat());
}
