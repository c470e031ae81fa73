import { z } from "zod";
import { defineResource } from "../core/definition";
import { endAnswer, endField, notExpired } from "../core/ends";
import { description, metadata, ownerId } from "../core/fields";
import { mark } from "../core/marks";
import { acl } from "../formats/acl";

/** spec "Tunnel credential". */
export const tunnelCredential = defineResource({
  type: "TunnelCredential",
  kind: "tunnel_credential",
  title: "tunnel credential",
  doc: "An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind.",
  path: "/credentials",
  listKey: "credentials",
  idPrefix: "cr",
  access: "owner",
  fields: {
    description: description("Who or what uses the credential. At most 255 bytes."),
    metadata: metadata(),
    acl: acl(),
    owner_id: ownerId(),
    ...endField("agents can bind nothing with it, and those that did are disconnected"),
  },
  computed: {
    token: mark(z.string().nullable(), { secret: true, once: true }).meta({
      description:
        "The authtoken, a one-time secret: only the answer to its creation shows it, later answers say null. A Pulumi program keeps it, encrypted, in its state.",
      examples: ["2ExampleOnlyAAAAAAAAAAAAAAA_5UqF1n4cXk"],
    }),
    ...endAnswer(),
  },
  derive: notExpired,
  sample: { description: "build farm", acl: ["bind:*.build.example.com"] },
  example: `const agent = new tunnels.TunnelCredential("agent", {
  description: "build farm",
  acl: ["bind:*.build.example.com"],
});
export const authtoken = agent.token; // a secret output`,
});
