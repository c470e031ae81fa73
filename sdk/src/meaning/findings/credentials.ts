import type { ObjectChange } from "../changes/differences";
import { Binding } from "../judgement/backends/binding";
import type { ModelObject } from "../model";
import type { Names } from "../names";
import { holdsUnknown, textIn, textsIn } from "../values";
import { SSH_CERTIFICATES } from "./certificates";
import { type Context, type Draft, isReplaced, onObject, type Rule } from "./finding";
import { bindsText, mayNowBind } from "./sentences";

const CREDENTIALS = ["tunnel_credential", "ssh_credential"];

const isCredential = ({ before, after }: ObjectChange): boolean =>
  CREDENTIALS.includes((after ?? before)?.kind ?? "");

const rulesOf = (credential: ModelObject): string[] => textsIn(credential.fields.acl);

/** The rules of the one credential that the other does not cover. */
function beyond(credential: ModelObject, reference: ModelObject): string[] {
  const [rules, covering] = [rulesOf(credential), new Binding(rulesOf(reference))];
  if (covering.unlimited) return [];
  if (new Binding(rules).unlimited) return ["*"];
  return rules.filter((rule) => !new Binding([rule]).targets.every((target) => covering.covers(target)));
}

function aclDraft({ before, after }: Required<ObjectChange>, sentence: string): Draft[] {
  const certain = !holdsUnknown(before.fields.acl) && !holdsUnknown(after.fields.acl);
  return [onObject(after, "acl", { sentence, before: rulesOf(before), after: rulesOf(after), certain })];
}

/** A new credential that nothing limits: whoever has it may answer for every address. */
function unlimited(credential: ModelObject, names: Names): Draft[] {
  const rules = rulesOf(credential);
  if (holdsUnknown(credential.fields.acl) || !new Binding(rules).unlimited) return [];
  const sentence = mayNowBind(names.titled(credential), bindsText(rules));
  return [onObject(credential, "acl", { sentence, before: null, after: rules })];
}

/** Whether the owner of a key is an admin; undefined if the owner is not visible. */
function isAdmin(owner: unknown, { after: model }: Context): boolean | undefined {
  const { admins, caller } = model.world;
  const id = textIn(owner) ?? (holdsUnknown(owner) ? undefined : caller);
  if (id === undefined) return undefined;
  const bot = model.find(id);
  if (bot?.kind === "bot_user")
    return holdsUnknown(bot.fields.role) ? undefined : bot.fields.role === "admin";
  return admins ? admins.includes(bot?.object.id ?? id) : undefined;
}

/** Rules for credentials, certificates and keys. */
export const credentialRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "credential-widened",
    evaluate: (change, { names }) => {
      const { before, after } = change;
      if (!after || !isCredential(change)) return [];
      if (!before) return unlimited(after, names);
      const gained = beyond(after, before);
      if (gained.length === 0 && !(holdsUnknown(after.fields.acl) && !new Binding(rulesOf(before)).unlimited))
        return [];
      if (holdsUnknown(after.fields.acl) && rulesOf(after).length === 0) {
        return aclDraft(
          { before, after },
          `The ${names.titled(after)} may bind more than before: its ACL is not known yet.`,
        );
      }
      const more = gained.length > 0 ? bindsText(gained) : "something that is not known yet";
      return aclDraft(
        { before, after },
        mayNowBind(`${names.titled(after)}`, more, bindsText(rulesOf(before))),
      );
    },
  },
  {
    rule: "credential-narrowed",
    evaluate: (change, { names }) => {
      const { before, after } = change;
      if (!before || !after || !isCredential(change) || holdsUnknown(after.fields.acl)) return [];
      const lost = beyond(before, after);
      if (lost.length === 0) return [];
      const now = lost.includes("*") ? `only ${bindsText(rulesOf(after))}` : `no longer ${bindsText(lost)}`;
      return aclDraft({ before, after }, `The ${names.titled(after)} may now bind ${now}.`);
    },
  },
  {
    rule: "credential-revoked",
    evaluate: (change, { names }) => {
      const { before, after } = change;
      if (!before || after || !isCredential(change)) return [];
      const rules = rulesOf(before);
      const sentence = `The ${names.titled(before)} is revoked: agents that use it can no longer bind ${bindsText(rules)}.`;
      return [onObject(before, undefined, { sentence, before: rules, after: null })];
    },
  },
  {
    rule: "credential-reissued",
    evaluate: (change, { names }) => {
      const { after } = change;
      if (!after || !isCredential(change) || !isReplaced(change)) return [];
      const needs =
        after.kind === "ssh_credential"
          ? "its holders need the new key"
          : "agents that use it need the new token";
      const sentence = `The ${names.titled(after)} is issued again: ${needs}; they bind ${bindsText(rulesOf(after))}.`;
      return [onObject(after, undefined, { sentence })];
    },
  },
  {
    rule: "ssh-certificate-any-user",
    evaluate: (change, { names }) => {
      const { before, after } = change;
      if (after?.kind !== "ssh_user_certificate") return [];
      const open = (thing: ModelObject) => textsIn(thing.fields.principals).length === 0;
      if (!open(after) || (before && open(before) && !isReplaced(change))) return [];
      const sentence = `The SSH certificate ${names.quote(after)} names no user: its holder may log in as anybody.`;
      const was = before ? textsIn(before.fields.principals) : undefined;
      const certain = !holdsUnknown(after.fields.principals);
      return [onObject(after, "principals", { sentence, before: was, after: [], certain })];
    },
  },
  {
    rule: "ssh-certificate-reissued",
    evaluate: (change, { names }) => {
      const { after } = change;
      if (!after || !SSH_CERTIFICATES.includes(after.kind) || !isReplaced(change)) return [];
      const who = after.kind === "ssh_user_certificate" ? "its holder needs" : "its host needs";
      const sentence = `The SSH certificate ${names.quote(after)} is issued again, and ${who} the new one.`;
      return [onObject(after, undefined, { sentence, namesFields: true })];
    },
  },
  {
    rule: "admin-key-created",
    evaluate: (change, context) => {
      const { before, after } = change;
      if (after?.kind !== "api_key" || (before && !isReplaced(change))) return [];
      const admin = isAdmin(after.fields.owner_id, context);
      if (admin === false) return [];
      const consequence = admin
        ? "belongs to an admin: it may do everything"
        : "may belong to an admin; who owns it cannot be seen from here";
      const sentence = `The new API key ${context.names.quote(after)} ${consequence}.`;
      return [onObject(after, undefined, { sentence, certain: admin === true })];
    },
  },
];
