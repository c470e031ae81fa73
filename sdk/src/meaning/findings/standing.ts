import { oncePer } from "../../contract/core/once";
import { waitedForBy } from "../../contract/core/waiting";
import { certificateFacts } from "../aspects/clientCertificate";
import type { FieldName } from "../fieldNames";
import { BACKENDS, childrenOf } from "../judgement/backends/flows";
import type { Model, ModelObject } from "../model";
import { fieldNamed, holdsUnknown, idsIn, isObject, textIn } from "../values";
import { describeEnd } from "./ends";
import { endingCertificates } from "./reserved";
import type { StateRule } from "./stateRule";

const DAY_MS = 86_400_000;
const SOON_DAYS = 90;
/** The API's default validity of a user certificate. */
const DEFAULT_CERTIFICATE_DAYS = 1;

/** The end of an object, and its field; undefined if it does not end or its end is not known. */
function endOf(thing: ModelObject, now: Date): { property: string; end: Date | "unknown" } | undefined {
  const { kind, fields } = thing;
  const read = (property: string, value: unknown) => {
    if (holdsUnknown(value)) return { property, end: "unknown" as const };
    const end = new Date(textIn(value) ?? Number.NaN);
    return Number.isNaN(end.getTime()) ? undefined : { property, end };
  };
  if (kind === "certificate_authority")
    return read("not_after", holdsUnknown(fields.ca_pem) ? fields.ca_pem : certificateFacts(thing).notAfter);
  if (kind === "api_key") return read("expires_at", fields.expires_at);
  if (kind === "ssh_user_certificate" || kind === "ssh_host_certificate") {
    // The next run after this makes it anew.
    if (fieldNamed(fields, "renew_before") != null) return undefined;
    const defaulted = kind === "ssh_user_certificate" && fields.valid_until == null;
    const begins = Math.max(now.getTime(), Date.parse(textIn(fields.valid_after) ?? "") || 0);
    return defaulted
      ? { property: "valid_until", end: new Date(begins + DEFAULT_CERTIFICATE_DAYS * DAY_MS) }
      : read("valid_until", fields.valid_until);
  }
  return undefined;
}

/** The objects that others refer to, computed once per world. */
const used = oncePer((model: Model): ReadonlySet<string> => {
  const of = (fields: unknown, sent: FieldName, answered: FieldName) =>
    isObject(fields) ? idsIn(fields, sent, answered).ids : [];
  const references = model.all.flatMap((thing) => [
    ...of(thing.fields.backend, "backend_id", "backend"),
    ...(thing.kind === "ip_restriction" ? of(thing.fields, "ip_policy_ids", "ip_policies") : []),
    ...of(thing.fields.ip_restriction, "ip_policy_ids", "ip_policies"),
    ...of(thing.fields.mutual_tls, "certificate_authority_ids", "certificate_authorities"),
    // A weight of 0 is a reference too.
    ...(thing.kind === "weighted_backend" && isObject(thing.fields.backends)
      ? Object.keys(thing.fields.backends)
      : childrenOf(thing)),
  ]);
  return new Set(references.map((id) => model.identityOf(id)));
});

/** Whether any reference is not known yet; it may be to any object. */
const refersToUnknown = oncePer((model: Model) =>
  model.all.some(({ kind, fields }) =>
    holdsUnknown([
      fields.backend,
      fields.ip_restriction,
      fields.mutual_tls,
      kind.endsWith("_backend") ? fields.backends : null,
    ]),
  ),
);

const USABLE = ["ip_policy", "certificate_authority", ...BACKENDS];

/** About objects that wait: no other rule looks at them. */
export const waitsFor: StateRule = {
  rule: "waits-for",
  describe: (thing, { model, names }) => {
    const id = waitedForBy(thing.fields);
    if (id === undefined) return undefined;
    const other = model.find(id);
    const old = other ? `the ${names.titled(other)}` : id;
    return {
      sentence: `The ${names.titled(thing)} waits for ${old}, which still serves: it serves nothing until that is deleted.`,
      property: "waits_for",
      content: id,
    };
  },
};

export const stateRules: readonly StateRule[] = [
  {
    rule: "expires-soon",
    describe: (thing, { names, now }) => {
      const found = now && endOf(thing, now);
      if (!now || !found) return undefined;
      const { property, end } = found;
      if (end === "unknown") {
        const sentence = `It is not known yet when the ${names.titled(thing)} ends.`;
        return { sentence, property, certain: false, content: "unknown" };
      }
      const days = (end.getTime() - now.getTime()) / DAY_MS;
      if (days > SOON_DAYS) return undefined;
      const content =
        fieldNamed(thing.fields, property) == null && property === "valid_until"
          ? "default"
          : end.toISOString();
      const when = end.toISOString().replace(".000Z", "Z");
      const then = thing.kind === "api_key" ? "requests with it are refused" : undefined;
      const ends =
        days <= 0
          ? `ended on ${when}${then === undefined ? "" : `: ${then}`}`
          : `ends on ${when}, within ${SOON_DAYS} days${then === undefined ? "" : `: from then on ${then}`}`;
      return {
        sentence: `The ${names.titled(thing)} ${ends}.`,
        after: when,
        property,
        content,
      };
    },
  },
  endingCertificates,
  { rule: "access-ends", describe: describeEnd },
  {
    rule: "key-without-end",
    isOfChange: true,
    describe: (thing, { names }) => {
      if (
        thing.kind !== "api_key" ||
        (thing.fields.expires_at != null && !holdsUnknown(thing.fields.expires_at))
      )
        return undefined;
      const certain = !holdsUnknown(thing.fields.expires_at);
      const sentence = `The API key ${names.quote(thing)} ${certain ? "never ends" : "may never end: it is not known yet"}.`;
      return { sentence, property: "expires_at", certain, content: String(certain) };
    },
  },
  {
    rule: "long-lived-cloud-keys",
    describe: (thing, { names }) => {
      const { target } = thing.fields;
      if (thing.kind !== "event_destination") return undefined;
      const services = isObject(target)
        ? Object.entries(target).filter(([, service]) => isObject(service))
        : [];
      const keyed = services.find(
        ([, service]) => isObject(service) && isObject(service.auth) && service.auth.creds != null,
      );
      const [service] = keyed ?? [];
      // The engine may hide the whole target as a secret.
      if (service === undefined) return undefined;
      const sentence = `The event destination ${names.quote(thing)} signs in with long-lived cloud keys; a role has none to lose.`;
      return { sentence, property: `target.${service}.auth`, content: service };
    },
  },
  {
    rule: "restriction-not-enforced",
    describe: (thing, { names }) => {
      const { enforced } = thing.fields;
      if (thing.kind !== "ip_restriction" || enforced === true) return undefined;
      const what = `the IP restriction ${names.quote(thing)}`;
      const certain = !holdsUnknown(enforced);
      const sentence = certain
        ? `T${what.slice(1)} is not enforced: it keeps nobody out.`
        : `It is not known yet whether ${what} is enforced.`;
      return { sentence, property: "enforced", certain, content: String(certain) };
    },
  },
  {
    rule: "unused",
    describe: (thing, { names, model }) => {
      if (!USABLE.includes(thing.kind) || thing.object.used || used(model).has(thing.identity))
        return undefined;
      const certain = !model.partial && !refersToUnknown(model);
      const sentence = `Nothing ${certain ? "" : "that is known "}uses the ${names.titled(thing)}.`;
      return { sentence, certain, content: "unused" };
    },
  },
];
