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
  doc: "An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do.",
  path: "/bot_users",
  listKey: "bot_users",
  idPrefix: "bot",
  access: "admin",
  fields: {
    name: word(255).meta({ description: "Name of the bot." }),
    role: mark(z.enum(ROLES).default("member"), { immutable: true }).meta({
      description:
        "Role of the bot: a `member` sees and changes objects of the account and its own, an `admin` all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing. Default `member`. Set at creation only.",
    }),
    active: z.boolean().default(true).meta({ description: "Whether its API keys are accepted. Default true." }),
  },
  sample: { name: "ci", role: "member", active: true },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });`,
});
