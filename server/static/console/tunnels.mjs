import { agentLink, hostportLink, seenChoices } from "./agentLinks.mjs";
import { noAgent } from "./agents.mjs";
import { page } from "./api.mjs";
import { codes, h, row, state, time } from "./dom.mjs";
import { objectLink } from "./links.mjs";
import { pages } from "./lists.mjs";
import { namesOfReferred } from "./referred.mjs";

/** What agents have bound, and what sends requests there. */
export async function tunnels() {
  const list = pages({
    caption: "Tunnels, newest first",
    columns: ["Bound", "Protocol", "Backends", "Session", "Since"],
    first: await tunnelsAt("/tunnels?limit=100"),
    next: tunnelsAt,
    rowOf: (one) =>
      row(
        boundOf(one),
        one.proto || "–",
        backendsOf(one),
        agentLink(one.tunnel_session),
        time(one.started_at),
      ),
    empty: noAgent(),
  });
  return {
    title: "Tunnels",
    nodes: [
      seenChoices("tunnels"),
      h(
        "p",
        { class: "lead" },
        "What agents have bound: one tunnel for each hostport, or for each set of labels. Members see those of their own credentials.",
      ),
      list,
    ],
  };
}

async function tunnelsAt(path) {
  const { items, nextPage } = await page(path, "tunnels");
  const names = await namesOfReferred(items.flatMap(({ backends }) => backends));
  const named = ({ id, uri }) => ({ id, uri, name: names.get(id) });
  return { items: items.map((one) => ({ ...one, backends: one.backends.map(named) })), nextPage };
}

/** Labels, or a hostport; the API does not say which hostport it is where no edge serves it. */
function boundOf({ labels, public_url: url }) {
  const texts = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
  if (texts.length > 0) return h("span", {}, ...codes(texts));
  return url ? hostportLink(hostportOf(url)) : state("a hostport that no edge serves", "warning");
}

/** `https://app.example.com` leaves out the port that callers need not name. */
function hostportOf(url) {
  const [, rest = url] = /^\w+:\/\/(.+)$/.exec(url) ?? [];
  return /:\d+$/.test(rest) ? rest : `${rest}:443`;
}

function backendsOf({ labels, backends }) {
  if (Object.keys(labels).length === 0) return "–";
  if (backends.length === 0) return state("no backend has its labels", "warning");
  return h("ul", { class: "plain" }, ...backends.map((one) => h("li", {}, objectLink(one))));
}
