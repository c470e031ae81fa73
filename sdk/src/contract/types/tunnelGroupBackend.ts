import { defineResource } from "../core/definition";
import { conditioned, description, map, metadata, text } from "../core/fields";
import { mark } from "../core/marks";
import { idleTimeout, protocol } from "../formats/upstream";

const part = (what: string) =>
  conditioned(text(255, "characters"), (value) =>
    value === "" || value.includes("=")
      ? `is a label's ${what}, which must not be empty or hold "="`
      : undefined,
  );

/** Labels of tunnels: a map from the user's own keys to values. */
export const labels = () =>
  mark(
    conditioned(map(part("key"), part("value")), (value) =>
      Object.keys(value).length === 0 ? "must name at least one label" : undefined,
    ),
    { userKeys: true },
  );

/** Tunnel-group backend; fields after api-decisions "Backends, IP policies". */
export const tunnelGroupBackend = defineResource({
  type: "TunnelGroupBackend",
  kind: "tunnel_group_backend",
  subject: "backend",
  title: "tunnel-group backend",
  doc: "Sends traffic to every tunnel that has all of these labels.",
  path: "/backends/tunnel_group",
  listKey: "backends",
  idPrefix: "bkdtg",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    labels: labels().meta({
      description: "The labels that a tunnel must have: your own keys and values, without `=`.",
    }),
    protocol: protocol(),
    idle_timeout: idleTimeout(),
  },
  sample: { labels: { service: "web", env: "prod" } },
  example: `const web = new tunnels.TunnelGroupBackend("web", {
  labels: { service: "web", env: "prod" },
});`,
});
