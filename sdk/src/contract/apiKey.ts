import { z } from "zod";
import { defineResource } from "./core/definition";
import { description, metadata, ownerId } from "./core/fields";
import { mark } from "./core/marks";

/** API keys; fields after api-decisions "Users, bots and API keys". */
export const apiKey = defineResource({
  type: "ApiKey",
  kind: "api_key",
  title: "API key",
  doc: "A key with which its owner calls this API. Deleting it revokes it.",
  path: "/api_keys",
  listKey: "keys",
  idPrefix: "ak",
  access: "owner",
  fields: {
    description: description("Who or what uses the key. At most 255 bytes."),
    metadata: metadata(),
    owner_id: ownerId(),
  },
  computed: {
    token: mark(z.string().nullable(), { secret: true, once: true }).meta({
      description: "The key itself. Answered by the creation only and null ever after; a Pulumi program keeps it, encrypted, in its state.",
    }),
  },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const key = new tunnels.ApiKey("ci", { ownerId: ci.id });
export const apiKey = key.token; // a secret output`,
});
