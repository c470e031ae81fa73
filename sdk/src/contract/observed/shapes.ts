import { z } from "zod";
import type { ObservedKind } from "./kinds";

const ref = () =>
  z.object({
    id: z.string().meta({ description: "Its id." }),
    uri: z.url().meta({ description: "Its address." }),
  });
const refTo = (doc: string) => ref().meta({ description: doc });
const refOrNull = (doc: string) => ref().nullable().meta({ description: doc });
const text = (doc: string, ...examples: string[]) =>
  z.string().meta({ description: doc, ...(examples.length > 0 && { examples }) });
const moment = (doc: string) => z.iso.datetime().meta({ description: `${doc} (RFC 3339).` });
const uri = () => z.url().meta({ description: "Its address." });
const UNKNOWN = 'Always "": it cannot be known over SSH.';

/** `GET /endpoints`: one for each hostport that a gateway serves. */
const endpointSchema = () =>
  z.object({
    id: text("Identifier, beginning with `ep_`."),
    uri: uri(),
    created_at: moment("Since when it is served"),
    updated_at: moment("When another edge took it over last"),
    region: text('Always "": one server is one region.'),
    hostport: text("The hostport, in lower case.", "app.example.com:443"),
    host: text("Its host.", "app.example.com"),
    port: z.int().meta({ description: "Its port.", examples: [443] }),
    proto: z.enum(["https", "tls", "tcp"]).meta({ description: "The protocol, by the kind of its edge." }),
    scheme: z.enum(["https", "tls", "tcp"]).meta({ description: "The same as `proto`." }),
    public_url: text("The address for callers.", "https://app.example.com"),
    type: z.literal("edge").meta({ description: "Always `edge`." }),
    edge: refTo("The edge that serves it."),
    domain: refOrNull("The reserved domain that covers its host; null for none."),
    tcp_addr: refOrNull("The reserved address of its port; null for none."),
    tunnel: refOrNull("The newest tunnel that binds it; null for none that the caller may see."),
    tunnel_session: refOrNull("The session of that tunnel."),
  });

/** `GET /tunnels`: one for each bind of an agent. */
const tunnelSchema = () =>
  z.object({
    id: text("Identifier, beginning with `tn_`."),
    uri: uri(),
    started_at: moment("Since when it is bound"),
    proto: text('The protocol of its endpoint; "" without one.', "https"),
    region: text('Always "": one server is one region.'),
    public_url: text('The address of its endpoint; "" without one.', "https://app.example.com"),
    tunnel_session: refTo("The session that bound it."),
    endpoint: refOrNull("The endpoint of its hostport; null for labels, and where no edge serves it."),
    labels: z
      .record(z.string(), z.string())
      .meta({ description: "Its labels; empty for a hostport.", examples: [{ app: "shop" }] }),
    backends: z
      .array(ref())
      .meta({ description: "The tunnel-group backends whose labels it has; none for a hostport." }),
    forwards_to: text("Where the agent forwards to, if its gateway knows."),
    metadata: text(UNKNOWN),
  });

/** `GET /tunnel_sessions`: one for each agent that is connected and has bound something. */
const tunnelSessionSchema = () =>
  z.object({
    id: text("Identifier, beginning with `ts_`."),
    uri: uri(),
    started_at: moment("Since when it is connected"),
    credential: refTo("The credential that it logged in with."),
    ip: text("The address that it comes from.", "203.0.113.7"),
    agent_version: text("The greeting of its SSH client.", "SSH-2.0-OpenSSH_9.9"),
    os: text(UNKNOWN),
    region: text('Always "": one server is one region.'),
    transport: z.literal("ssh/2").meta({ description: "Always `ssh/2`." }),
    metadata: text(UNKNOWN),
  });

/** The fields of each kind in answers. */
export const OBSERVED_SCHEMAS = {
  endpoint: endpointSchema,
  tunnel: tunnelSchema,
  tunnel_session: tunnelSessionSchema,
} as const satisfies Readonly<Record<ObservedKind, () => z.ZodObject>>;
