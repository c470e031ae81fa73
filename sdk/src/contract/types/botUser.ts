import { z } from "zod";
import { defineResource } from "../core/definition";
import { word } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { gatewayName } from "../formats/gatewayName";
import { ROLES } from "../role";

const nameIsForGateways: Rule = function* ({ role, gateway_name: name }) {
  if (name != null && role !== "gateway")
    yield {
      path: ["gateway_name"],
      message: 'is only for bots of role "gateway": leave it out, or create a bot with that role',
    };
};

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
        "Role of the bot. In the project in which the bot is made, a `member` sees and changes the objects that are for all and its own; a `viewer` sees all objects, with null for every secret, plans changes and makes none. In the whole account, an `admin` changes all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing; `metrics` reads metrics alone. Default `member`. Set at creation only.",
    }),
    gateway_name: mark(gatewayName().nullable().optional(), { serverDefault: true }).meta({
      description:
        "The gateway that a bot of role `gateway` is: its API keys report under this name alone. One bot has a name at a time. At most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit. Default: the first name that it reports; null until then.",
      examples: ["edge-1"],
    }),
    active: z
      .boolean()
      .default(true)
      .meta({ description: "Whether its API keys are accepted. Default true." }),
  },
  rules: [nameIsForGateways],
  unique: ({ gateway_name: key }) =>
    key == null
      ? []
      : [
          {
            scope: "gateway_name",
            key,
            path: ["gateway_name"],
            taken:
              "is the name of another bot already; choose another name, or change or delete that bot first",
          },
        ],
  sample: { name: "ci", role: "member", active: true },
  example: `const ci = new tunnels.BotUser("ci", { name: "ci" });
const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });`,
});
