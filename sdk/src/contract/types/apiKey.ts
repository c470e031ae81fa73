import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata, ownerId, reference } from "../core/fields";
import { mark } from "../core/marks";
import { timestamp } from "../formats/time";
import { scopes } from "../rights/scopes";

/** API keys; fields after api-decisions "Users, bots and API keys". */
export const apiKey = defineResource({
  type: "ApiKey",
  kind: "api_key",
  title: "API key",
  doc: "A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second.",
  path: "/api_keys",
  listKey: "keys",
  idPrefix: "ak",
  access: "owner",
  fields: {
    description: description("Who or what uses the key. At most 255 bytes."),
    metadata: metadata(),
    owner_id: ownerId(),
    expires_at: mark(timestamp().optional(), { immutable: true }).meta({
      description:
        "When the key expires (RFC 3339): in the future by the server's clock, and no later than the key that creates it. Default: the same as that key, or never. Set at creation only.",
    }),
    project_id: mark(reference("project").nullable().optional(), {
      immutable: true,
      serverDefault: true,
    }).meta({
      description:
        "The project for which the key is; null: all in which its owner has a role. Default: that of the key that creates it. Set at creation only.",
      examples: [null],
    }),
    scopes: scopes().meta({
      description:
        "What the key may do of what its owner's role allows: `read`, `plan` (dry runs; holds `read`), `write` (holds `plan`), and `KIND:read` and `KIND:write` for objects of one kind, such as `tls_edge:write`. Empty: all. Default: the scopes of the key that creates it, which creates none with more. Updates only take scopes away.",
      examples: [["read", "tls_edge:write"]],
    }),
  },
  computed: {
    last_used_at: mark(z.iso.datetime().nullable(), { onDemand: true, fleeting: true }).meta({
      description:
        "The hour in which the key was last used (RFC 3339, its beginning); null if it was not. A server writes it once a minute, so one that is killed forgets the last one. Programs have no such output, since it changes by itself.",
      examples: ["2026-11-22T08:00:00.000Z"],
    }),
    token: mark(z.string().nullable(), { secret: true, once: true }).meta({
      description:
        "The key itself, a one-time secret: only the answer to its creation shows it, later answers say null. A Pulumi program keeps it, encrypted, in its state.",
      examples: ["tpk_2ExampleOnlyAAAAAAAAAAAAAAA"],
    }),
  },
  sample: {
    description: "deploys from CI",
    expires_at: "2126-11-22T08:00:00Z",
    scopes: ["read", "tls_edge:write"],
  },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const key = new tunnels.ApiKey("ci", { ownerId: ci.id });
export const apiKey = key.token; // a secret output`,
});
