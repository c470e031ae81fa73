import { z } from "zod";
import { oncePer } from "../../contract/core/once";
import { needsRsaPss } from "../../contract/formats/certificateAuthority";
import { definitionOf } from "../../contract/registry";
import { moduleOf, partOfObject, type Reading, readModule } from "../judgement/reading";
import { addTo } from "../judgement/rules/lists";
import { Unservable } from "../judgement/rules/unservable";
import { UNRECORDED } from "../judgement/types";
import { CLOSED, ending, passing, unsure } from "../judgement/verdicts";
import type { Model, ModelObject } from "../model";
import { nameOf, referenceName } from "../names";
import { type Fields, holdsUnknown, idsIn, inOrder, textIn } from "../values";
import type { Aspect } from "./aspect";
import { documented, listedText, showing, text } from "./shown";

/** An authority whose client certificates are accepted. */
export interface Authority {
  readonly thing?: ModelObject;
  /** The id in the reference, if there is no such authority. */
  readonly missing?: string;
  /** Equal for the same certificate. */
  readonly certificate: string;
}

/** The required client certificates; null if none are required. */
export function readClientCertificate(
  model: Model,
  holder: ModelObject,
): Reading<readonly Authority[] | null> {
  const module = moduleOf(holder, "mutual_tls");
  const { ids, unknown } = idsIn(module.fields, "certificate_authority_ids", "certificate_authorities");
  const read = readModule(
    module,
    null,
    () =>
      [...new Set(ids)]
        .map((id): Authority => authority(model, id))
        .sort((a, b) => inOrder(a.certificate, b.certificate)),
    () => ({ unknown, authorities: [...new Set(ids.map((id) => model.identityOf(id)))].sort(inOrder) }),
  );
  const things = (read.value ?? []).flatMap(({ thing }) => thing ?? []);
  return {
    ...read,
    parts: [...read.parts, ...things.map((thing) => partOfObject(thing, "ca_pem", certificateOf(thing)))],
    unknown:
      read.unknown ||
      (read.value !== null && (unknown || (model.partial && things.length < ids.length))) ||
      things.some(isUnknownAuthority),
  };
}

const isUnknownAuthority = ({ fields }: ModelObject): boolean => holdsUnknown(fields.ca_pem);

function authority(model: Model, id: string): Authority {
  const thing = model.find(id);
  return thing ? { thing, certificate: certificateOf(thing) } : { missing: id, certificate: `missing ${id}` };
}

/** The certificate itself, because two objects with the same one trust the same clients. */
export function certificateOf({ fields, identity }: ModelObject): string {
  const pem = textIn(fields.ca_pem);
  return pem?.includes("-----BEGIN")
    ? pem.replace(/\s+/g, "")
    : `${identity} ${fields.subject_common_name} ${fields.not_after}`;
}

const readCertificate = oncePer(
  ({ fields }: ModelObject): Fields =>
    definitionOf("certificate_authority").derive({
      description: "",
      metadata: "",
      ca_pem: textIn(fields.ca_pem) ?? "",
    }),
);

/** Subject and end of an authority's certificate: from the answer, or else from the certificate itself. */
export function certificateFacts(thing: ModelObject): {
  readonly subject?: string;
  readonly notAfter?: string;
} {
  const { fields } = thing;
  const isAnswered = textIn(fields.not_after) !== undefined || !textIn(fields.ca_pem)?.includes("-----BEGIN");
  const facts = isAnswered ? fields : readCertificate(thing);
  return { subject: textIn(facts.subject_common_name), notAfter: textIn(facts.not_after) };
}

/** The check of client certificates, before anything of a connection is read. */
export const clientCertificate = {
  of: { tls_edge: true, https_edge: true },
  prepare({ model, holder }) {
    const module = moduleOf(holder, "mutual_tls");
    if (module.state === "absent" || module.state === "off") return undefined;
    const { ids, unknown } = idsIn(module.fields, "certificate_authority_ids", "certificate_authorities");
    const things = ids.toSorted(inOrder).map((id) => {
      const thing = model.find(id);
      return { id, thing, pem: textIn(thing?.fields.ca_pem) };
    });
    if (module.state === "on" && !unknown) refuseUnusable(things, model.partial);
    const referencesOf = byCertificate(model);
    const accepted = new Set([
      ...ids,
      ...things.flatMap(({ thing }) => (thing ? (referencesOf.get(certificateOf(thing)) ?? []) : [])),
    ]);
    const field = "mutual_tls";
    const good = passing(holder, field, "An accepted authority signed the caller's certificate.");
    const none = ending(holder, field, "A client certificate is asked for, and the caller has none.", CLOSED);
    const foreign = ending(holder, field, "No accepted authority signed the caller's certificate.", CLOSED);
    const unrecorded = unsure(holder, field, "Whether the caller has a certificate is not recorded.");
    return {
      look({ request: { client_certificate: shown } }) {
        if (shown === UNRECORDED) return unrecorded;
        if (!shown) return none;
        return accepted.has(shown.authority) ? good : foreign;
      },
      predicates: [{ dimension: "client_certificate", op: "of", authorities: [...accepted].sort(inOrder) }],
      ...((module.state === "maybe" || unknown) && {
        unknown: "Which client certificates are asked for is not wholly known.",
      }),
    };
  },
  shows: showing({
    field: "client_certificate",
    title: "Client certificate",
    schema: () =>
      documented(
        z
          .object({
            authorities: documented(
              z.array(
                z.object({
                  id: documented(
                    z.string().optional(),
                    "The id of the authority; left out where it does not exist yet.",
                  ),
                  subject: text("The subject of its certificate."),
                  not_after: documented(
                    z.string().nullable(),
                    "When its certificate ends; null where that is not known yet.",
                  ),
                }),
              ),
              "The authorities whose certificates are accepted.",
            ),
          })
          .nullable(),
        "The required client certificates; null if none are required.",
      ),
    read: ({ model, holder }) => readClientCertificate(model, holder),
    absent: null,
    readsTraffic: true,
    exposed: (value: readonly Authority[] | null) => value && { authorities: value.map(exposedAuthority) },
    words: (asked) =>
      asked && `of ${listedText(asked.authorities.map(({ subject }) => subject || "an unknown authority"))}`,
    check: (asked) => asked && "client certificate",
  }),
} satisfies Aspect<"mutual_tls">;

export interface ExposedAuthority {
  readonly id?: string;
  readonly subject: string;
  readonly not_after: string | null;
}

function exposedAuthority({ thing, missing }: Authority): ExposedAuthority {
  if (!thing) return { subject: referenceName(missing ?? ""), not_after: null };
  const { subject, notAfter } = certificateFacts(thing);
  return { id: thing.object.id, subject: subject ?? nameOf(thing), not_after: notAfter ?? null };
}

/** The references of all authorities that have a certificate. */
const byCertificate = oncePer((model: Model): ReadonlyMap<string, readonly string[]> => {
  const index = new Map<string, string[]>();
  for (const thing of model.of("certificate_authority")) {
    const references = [thing.object.id, thing.object.urn].filter((reference) => reference !== undefined);
    for (const reference of references) addTo(index, certificateOf(thing), reference);
  }
  return index;
});

/**
 * @param authorities that the module names, with the result of the look-up and, if it is known, the PEM
 * @param partial whether some may be outside of this world
 * @throws Unservable if no certificate could be accepted
 */
export function refuseUnusable(
  authorities: readonly { readonly id: string; readonly thing: unknown; readonly pem: string | undefined }[],
  partial: boolean,
): void {
  if (authorities.length === 0)
    throw new Unservable(
      "mutual_tls names no certificate authority, so nobody's certificate could be accepted: name one, or disable it",
    );
  const missing = authorities.find(({ thing }) => !thing);
  // An authority outside of a part of a world was checked when it was declared.
  if (missing && !partial)
    throw new Unservable(`the certificate authority ${missing.id} of mutual_tls does not exist`);
  const unread = authorities.find(({ pem }) => pem !== undefined && needsRsaPss(pem));
  if (unread)
    throw new Unservable(
      `the certificate authority ${unread.id} of mutual_tls has an RSA-PSS key, which Envoy cannot check: name one with an RSA, ECDSA or Ed25519 key`,
    );
}
