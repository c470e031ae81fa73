import { fingerprint, readSshPublicKey } from "../../contract/formats/sshPublicKey";
import { differencesOf, type ObjectChange } from "../changes/differences";
import type { Model, ModelObject } from "../model";
import { code, referenceName } from "../names";
import { holdsUnknown, textIn } from "../values";
import { type Context, type Draft, isReplaced, onObject, type Rule } from "./finding";

/** The owner of a credential or key: its creator, unless the program names another. */
const ownerOf = ({ fields }: ModelObject, model: Model): string | undefined =>
  holdsUnknown(fields.owner_id) ? undefined : (textIn(fields.owner_id) ?? model.world.caller);

function objectText(id: string, model: Model, { names }: Context): string {
  const bot = model.find(id);
  return bot ? names.quote(bot) : code(referenceName(id));
}

/** The fingerprint of a public key, which is the same whatever comment stands behind the key. */
function fingerprintOf({ fields }: ModelObject): string | undefined {
  const key = textIn(fields.public_key);
  const read = key === undefined ? "" : readSshPublicKey(key);
  return typeof read === "string" ? key : fingerprint(read);
}

const KEY_ID = /^target\..*\.cloud_access_key_id$/;

/** Rules for roles, owners and keys. */
export const holderRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "role-raised",
    evaluate: ({ before, after }, context) => {
      if (!after || (after.kind !== "bot_user" && after.kind !== "membership")) return [];
      const [was, is] = [before && roleOf(before), roleOf(after)];
      const certain = !holdsUnknown([before?.fields.role, after.fields.role]);
      if (was === "admin" || (is !== "admin" && (certain || !before))) return [];
      const sentence = raised(after, context, { was, certain });
      return [
        onObject(after, "role", { sentence, before: was ?? null, after: certain ? is : null, certain }),
      ];
    },
  },
  {
    rule: "owner-changed",
    evaluate: (change, context) => {
      const { before, after } = change;
      if (!before || !after || !OWNED.includes(after.kind)) return [];
      const declared = after.fields.owner_id;
      // A program that names no owner accepts the present one.
      if (declared == null && !isReplaced(change)) return [];
      const [was, is] = [ownerOf(before, context.before), ownerOf(after, context.after)];
      const certain = !holdsUnknown([before.fields.owner_id, declared]);
      if ((was === undefined && is === undefined) || was === is || (is === undefined && certain)) return [];
      const owner =
        is === undefined ? "an owner that is not known yet" : objectText(is, context.after, context);
      const earlier = was === undefined ? "not known" : objectText(was, context.before, context);
      return [
        onObject(after, "owner_id", {
          sentence: `The ${context.names.titled(after)} now belongs to ${owner} (before: ${earlier}).`,
          before: was ?? null,
          after: is ?? null,
          certain: certain && was !== undefined,
        }),
      ];
    },
  },
  {
    rule: "key-replaced",
    evaluate: (change, context) => [
      ...publicKeyReplaced(change, context),
      ...authorityReplaced(change, context),
      ...keyIdReplaced(change, context),
      ...secretsReplaced(change, context),
    ],
  },
];

const roleOf = ({ fields }: ModelObject): string => textIn(fields.role) ?? "member";

/** @param was the role before; absent for a new object */
function raised(
  thing: ModelObject,
  context: Context,
  { was, certain }: { readonly was: string | undefined; readonly certain: boolean },
): string {
  const isBot = thing.kind === "bot_user";
  const named = `${was === undefined ? "new " : ""}${isBot ? "bot" : "membership"} ${context.names.quote(thing)}`;
  const earlier = was === undefined ? "" : ` (before: ${was})`;
  if (isBot) {
    const is = was === undefined ? "is" : certain ? "is now" : "may now be";
    return `The ${named} ${is} an admin, and its API keys may do everything${earlier}.`;
  }
  const makes = was === undefined ? "makes" : certain ? "now makes" : "may now make";
  return `The ${named} ${makes} ${memberText(thing, context)} an admin of ${projectText(thing, context)}${earlier}.`;
}

function memberText({ fields }: ModelObject, context: Context): string {
  const group = textIn(fields.group);
  if (group !== undefined) return `the group ${code(group)}`;
  const id = [fields.user_id, fields.bot_user_id].find(
    (candidate) => candidate != null && !holdsUnknown(candidate),
  );
  return typeof id === "string" ? objectText(id, context.after, context) : "somebody who is not known yet";
}

function projectText({ fields: { project_id: project } }: ModelObject, context: Context): string {
  if (project == null) return "the whole account";
  return holdsUnknown(project)
    ? "a project"
    : `the project ${objectText(String(project), context.after, context)}`;
}

const OWNED = ["api_key", "tunnel_credential", "ssh_credential"];

function publicKeyReplaced({ before, after }: ObjectChange, { names }: Context): Draft[] {
  if (!before || !after || before.fields.public_key == null || !SIGNED.includes(after.kind)) return [];
  const [was, is] = [fingerprintOf(before), fingerprintOf(after)];
  if (was === is) return [];
  const sentence = `The ${names.titled(after)} is for another key: ${is === undefined ? "not known yet" : code(is)} (before: ${code(was ?? "not known")}).`;
  const certain = was !== undefined && is !== undefined;
  return [onObject(after, "public_key", { sentence, before: was ?? null, after: is ?? null, certain })];
}

const SIGNED = ["ssh_credential", "ssh_user_certificate", "ssh_host_certificate"];

function authorityReplaced(change: ObjectChange, { names }: Context): Draft[] {
  const { after } = change;
  if (after?.kind !== "ssh_certificate_authority" || !isReplaced(change)) return [];
  const sentence = `The ${names.titled(after)} gets another key: servers that trust it need the new one, and certificates of the old one end with it.`;
  return [onObject(after, undefined, { sentence, namesFields: true })];
}

function keyIdReplaced(change: ObjectChange, context: Context): Draft[] {
  const { before, after } = change;
  if (!before || !after || after.kind !== "event_destination") return [];
  return differencesOf(change, context)
    .filter(({ field, before: was, after: is }) => KEY_ID.test(field) && was !== null && is !== null)
    .map(({ field, before: was, after: is }) => {
      const sentence = `The event destination ${context.names.quote(after)} signs in with another key: ${code(String(is))} (before: ${code(String(was))}).`;
      return onObject(after, field, { sentence, before: was, after: is });
    });
}

function secretsReplaced(change: ObjectChange, context: Context): Draft[] {
  const { before, after } = change;
  if (!before || !after) return [];
  return differencesOf(change, context)
    .filter(({ secret }) => secret)
    .map(({ field }) => {
      const module = after.modules.get(field.split(".")[0] ?? "");
      return {
        about: after,
        sentence: `The secret ${code(field)} of the ${context.names.titled(after)} has another value.`,
        cause: { kind: after.kind, object: module ?? after.object, property: field },
        secret: field,
      };
    });
}
