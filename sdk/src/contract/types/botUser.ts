import { z } from "zod";
import { defineResource } from "../core/definition";
import { word } from "../core/fields";
import { mark } from "../core/marks";
import { ROLES } from "../role";

/** Bot users; fields after api-decisions "Users, bots and API keys". */
export const botUser = defineResource({
  type: "BotUser",
  kind: "bot_user",
  title: "bot user",
  doc: "An owner of keys and credentials that is no person: a pipeline, a service. Its API keys may do what its role may.",
  path: "/bot_users",
  listKey: "bot_users",
  idPrefix: "bot",
  access: "admin",
  fields: {
    name: word(255).meta({ description: "What it is called." }),
    role: mark(z.enum(ROLES).default("member"), { immutable: true }).meta({
      description:
        "What its API keys may do: those of a `member` see and change what belongs to the account and what the bot itself owns, those of an `admin` everything. Default `member`. Set at creation only.",
    }),
    active: z.boolean().default(true).meta({ description: "Whether its API keys are accepted. Default true." }),
  },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });`,
});
