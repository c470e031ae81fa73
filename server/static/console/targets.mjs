import { h } from "./dom.mjs";

const KINDS = {
  tunnel_group: ({ labels }) => `tunnels with ${labelsOf(labels)}`,
  static: ({ address, tls }) => `${address ?? "an address that is not known"}${tls ? " over TLS" : ""}`,
  http_response: ({ status_code: status }) => `a fixed response, ${status}`,
  weighted: () => "shared by weight",
  failover: () => "the first that can take it",
  tunnels: () => "tunnels that bind the address",
  missing: () => "no such backend",
  cycle: () => "backends that lead in a circle",
  disabled: () => "nowhere: the module is disabled",
  unknown: () => "not known",
  more: () => "more than is shown",
};

export const targetInWords = (target) => (KINDS[target.kind] ?? (() => target.kind))(target);

const labelsOf = (labels) =>
  Object.entries(labels)
    .map(([label, text]) => `${label}=${text}`)
    .join(", ");

/** A backend, and those that it hands the traffic to. */
export function targetTree(target) {
  const { name, parts, in_order: order } = target;
  const below =
    parts?.map(({ percent, to }) => h("li", {}, h("strong", {}, `${percent} % `), targetTree(to))) ??
    order?.map((to) => h("li", {}, targetTree(to)));
  return h(
    "div",
    { class: "tree" },
    targetInWords(target),
    name && h("span", { class: "hint" }, ` ${name}`),
    below && h(order ? "ol" : "ul", {}, ...below),
  );
}
