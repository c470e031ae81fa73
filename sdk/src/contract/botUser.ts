import { z } from "zod";
import { defineResource } from "./core/definition";
import { word } from "./core/fields";

/** Bot users; fields after api-decisions "Users, bots and API keys". */
export const botUser = defineResource({
  type: "BotUser",
  kind: "bot_user",
  title: "bot user",
  doc: "An owner of keys and credentials that is no person: a pipeline, a service. It is a member, never an admin.",
  path: "/bot_users",
  listKey: "bot_users",
  idPrefix: "bot",
  access: "admin",
  fields: {
    name: word(255).meta({ description: "What it is called." }),
    active: z.boolean().default(true).meta({ description: "Whether its API keys are accepted. Default true." }),
  },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });`,
});
