import { z } from "zod";
import { defineResource } from "../core/definition";
import { endAnswer, endField, notExpired } from "../core/ends";
import { conditioned, description, exactlyOne, id, metadata, reference, word } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { isOfProjects, PROJECT_ROLES, ROLES, type Role } from "../role";
import { groupSubject, membershipsOf } from "../teams";

interface Sent {
  readonly project_id?: string | null;
  readonly role?: Role;
  readonly user_id?: string | null;
  readonly bot_user_id?: string | null;
  readonly group?: string | null;
}

const roleOfProject: Rule<Sent> = function* ({ project_id: project, role }) {
  if (project != null && role !== undefined && !isOfProjects(role))
    yield {
      path: ["role"],
      message: `must be one of ${PROJECT_ROLES.join(", ")} in a project; ${role} holds for the whole account, so leave \`project_id\` out`,
    };
};

const subjectOf = ({ user_id: user, bot_user_id: bot, group }: Sent): string =>
  user ?? bot ?? groupSubject(group ?? "");

/** Users are no resources, so programs and catalogues have no reference to them. */
const userId = () =>
  conditioned(id(), (value) =>
    value.startsWith("usr_") ? undefined : 'must be the id of a user, which begins with "usr_"',
  );

/** Memberships; people.md "Projects". */
export const membership = defineResource({
  type: "Membership",
  kind: "membership",
  title: "membership",
  doc: "Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds.",
  path: "/memberships",
  listKey: "memberships",
  idPrefix: "mbr",
  access: "admin",
  fields: {
    project_id: mark(reference("project").nullable().optional(), { immutable: true }).meta({
      description:
        "The project in which the role holds. Default null: the whole account, which only admins of the account may name. Set at creation only.",
    }),
    role: z.enum(ROLES).meta({
      description:
        "The role: `viewer`, `member` or `admin`; for the whole account also `gateway` and `metrics`.",
      examples: ["member"],
    }),
    user_id: mark(userId().nullable().optional(), { immutable: true }).meta({
      description:
        "The user who gets it. Exactly one of `user_id`, `bot_user_id` and `group` is set. Set at creation only.",
    }),
    bot_user_id: mark(reference("bot_user").nullable().optional(), { immutable: true }).meta({
      description: "The bot that gets it. Set at creation only.",
    }),
    group: mark(word(255, "bytes").nullable().optional(), { immutable: true }).meta({
      description:
        "The group whose users get it, as the identity provider names it: who was in it at the last sign-in. Set at creation only.",
    }),
    description: description(),
    metadata: metadata(),
    ...endField("it gives no role"),
  },
  computed: endAnswer(),
  derive: notExpired,
  rules: [exactlyOne(["user_id", "bot_user_id", "group"]), roleOfProject],
  unique: (sent) => [
    {
      scope: membershipsOf(subjectOf(sent)),
      key: `${sent.project_id ?? "account"} ${sent.role}`,
      path: ["role"],
      taken: "is given by another membership already; change that one instead",
    },
  ],
  sample: { project_id: "project/shop", role: "member", bot_user_id: "bot_user/ci" },
  example: `const shop = new tunnels.Project("shop", { name: "web-shop" });
const ci = new tunnels.BotUser("ci", { name: "ci", role: "viewer" });
const deploys = new tunnels.Membership("deploys", {
  projectId: shop.id,
  role: "member",
  botUserId: ci.id,
});`,
});
