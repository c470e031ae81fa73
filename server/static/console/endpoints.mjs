import { agentLink, hostportLink, seenChoices } from "./agentLinks.mjs";
import { page } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { kindOfId, objectLink } from "./links.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { namesOfReferred } from "./referred.mjs";

/** Which hostports gateways serve now, and by which edge. */
export async function endpoints() {
  const list = pages({
    caption: "Endpoints, newest first",
    columns: ["Hostport", "Edge", "Reserved as", "Session", "Since"],
    first: await endpointsAt("/endpoints?limit=100"),
    next: endpointsAt,
    rowOf: (one) =>
      row(
        hostportLink(one.hostport),
        [h("div", { class: "hint" }, kindOfId(one.edge.id)?.one), objectLink(one.edge)],
        one.reserved ? objectLink(one.reserved) : "–",
        agentLink(one.tunnel_session),
        time(one.created_at),
      ),
    empty: nothing("No gateway serves a hostport now.", {
      next: "A gateway serves the edges that are declared. Start one beside Envoy:",
      snippet:
        "tunnelplane-gateway run --certs /etc/tunnelplane/certs --listen 0.0.0.0:443 --state /var/lib/tunnelplane-gateway",
      more: guide("gateway.md", "Gateways, step by step"),
    }),
  });
  return {
    title: "Endpoints",
    nodes: [
      seenChoices("endpoints"),
      h(
        "p",
        { class: "lead" },
        "The hostports that gateways serve now: one endpoint for each, however many gateways serve it.",
      ),
      list,
    ],
  };
}

/** A page of endpoints, with the names of their edges, and of the domain or address that covers them. */
async function endpointsAt(path) {
  const { items, nextPage } = await page(path, "endpoints");
  const reservedAs = ({ tcp_addr: address, domain }) => address ?? domain ?? undefined;
  const names = await namesOfReferred(items.flatMap((one) => [one.edge, reservedAs(one)].filter(Boolean)));
  const named = (one) => one && { ...one, name: names.get(one.id) };
  return {
    items: items.map((one) => ({ ...one, edge: named(one.edge), reserved: named(reservedAs(one)) })),
    nextPage,
  };
}
