import { ask, page } from "./api.mjs";
import { badge, h, row, time } from "./dom.mjs";
import { addressPage, idOf, objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { problemOf } from "./problems.mjs";

/** The sessions of agents, with what they bind, and the hostports that gateways serve. */
export async function agents(_rest, { role }) {
  const read = (name) => page(`/${name}?limit=100`, name);
  const [sessions, tunnels, endpoints] = await Promise.all(
    ["tunnel_sessions", "tunnels", "endpoints"].map(read),
  );
  const problem = h("div", { role: "alert" });
  const mayEnd = role !== "viewer";
  return {
    title: "Agents",
    nodes: [
      h(
        "p",
        { class: "lead" },
        "Who is connected to gateways, and what is served.",
        mayEnd &&
          " A restart hangs up, so that the agent comes back at once; a stop also keeps its credential out from there for a minute.",
      ),
      problem,
      h("h2", {}, "Sessions"),
      pages({
        caption: "Sessions of agents, newest first",
        columns: ["Credential", "Session", "From", "Client", "Since", ...(mayEnd ? ["End"] : [])],
        first: sessions,
        next: (path) => page(path, "tunnel_sessions"),
        rowOf: (one) =>
          row(
            objectLink(one.credential),
            idOf(one.id),
            one.ip,
            one.agent_version || "–",
            time(one.started_at),
            ...(mayEnd ? [endings(one, problem)] : []),
          ),
        empty: nothing("No agent is connected.", {
          next: "An agent is stock OpenSSH, which logs in with the key of an SSH credential or with a token:",
          snippet: "ssh -N -p 2222 -R app.example.com:443:localhost:8080 agent@gateway.example.com",
          more: guide("gateway.md#agents", "How agents connect"),
        }),
      }),
      h("h2", {}, "Tunnels"),
      pages({
        caption: "What agents bind, newest first",
        columns: ["Bind", "Protocol", "Backends", "Session", "Since"],
        first: tunnels,
        next: (path) => page(path, "tunnels"),
        rowOf: (one) =>
          row(
            one.public_url || labelsOf(one.labels),
            one.proto ? badge(one.proto) : "–",
            one.backends.length === 0
              ? "–"
              : h("ul", {}, ...one.backends.map((backend) => h("li", {}, objectLink(backend)))),
            one.tunnel_session ? idOf(one.tunnel_session.id) : "–",
            time(one.started_at),
          ),
        empty: "No agent binds anything.",
      }),
      h("h2", {}, "Endpoints"),
      pages({
        caption: "Hostports that gateways serve, newest first",
        columns: ["Endpoint", "Edge", "Session of its agent", "Since"],
        first: endpoints,
        next: (path) => page(path, "endpoints"),
        rowOf: (one) =>
          row(
            h("a", { href: addressPage(one.hostport) }, one.public_url),
            objectLink(one.edge),
            one.tunnel_session ? idOf(one.tunnel_session.id) : "–",
            time(one.created_at),
          ),
        empty: "No gateway serves a hostport.",
      }),
    ],
  };
}

const labelsOf = (labels) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ") || "–";

/** The buttons that end a session; the server refuses those of others. */
function endings({ id, ip }, problem) {
  const cell = h("span", { class: "endings" });
  const button = (title, action, done) =>
    h(
      "button",
      {
        type: "button",
        "aria-label": `${title} the session ${id} from ${ip}`,
        onclick: async () => {
          problem.replaceChildren();
          for (const one of cell.children) one.disabled = true;
          try {
            await ask(`/tunnel_sessions/${id}/${action}`, {});
            cell.replaceChildren(done);
          } catch (error) {
            for (const one of cell.children) one.disabled = false;
            problem.replaceChildren(problemOf(error));
          }
        },
      },
      title,
    );
  cell.append(button("Restart", "restart", "restarted"), " ", button("Stop", "stop", "stopped"));
  return cell;
}
