import { oncePer } from "../../contract/core/once";
import { coveringKeys, reservedKey } from "../../contract/formats/reserved";
import { readTlsCertificate } from "../../contract/formats/tlsCertificate";
import type { ObjectChange } from "../changes/differences";
import type { Model, ModelObject } from "../model";
import { code } from "../names";
import { holdsUnknown, textIn, textsIn } from "../values";
import { listed, onObject, type Rule } from "./finding";
import type { Description, StateRule } from "./stateRule";

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
/** A sentence names as many hostports. */
const MAX_NAMED = 3;

/** The end of a TLS certificate: from the answer, or else from the certificate itself. */
const endOf = oncePer(({ fields }: ModelObject): string | undefined => {
  const answered = textIn(fields.not_after);
  if (answered !== undefined) return answered;
  const read = readTlsCertificate(textIn(fields.certificate_pem) ?? "");
  return typeof read === "string" ? undefined : read.not_after;
});

/** A TLS certificate that ends soon, or has ended, as it is. */
function describeCertificate(
  thing: ModelObject,
  { names, now }: Parameters<StateRule["describe"]>[1],
): Description | undefined {
  if (!now || thing.kind !== "tls_certificate") return undefined;
  const what = `the TLS certificate ${names.quote(thing)}`;
  if (holdsUnknown(thing.fields.certificate_pem))
    return { sentence: `It is not known yet when ${what} ends.`, certain: false, content: "unknown" };
  const end = endOf(thing);
  const days = end === undefined ? Number.NaN : (Date.parse(end) - now.getTime()) / DAY_MS;
  if (end === undefined || !(days <= SOON_DAYS)) return undefined;
  const hasEnded = days <= 0;
  return {
    sentence: `T${what.slice(1)} ${hasEnded ? `ended on ${end}: clients refuse it` : `ends on ${end}, within ${SOON_DAYS} days`}.`,
    after: end,
    property: "certificate_pem",
    content: `${end}${hasEnded ? " ended" : ""}`,
    ...(hasEnded && { severity: "high" }),
  };
}

export const endingCertificates: StateRule = {
  rule: "certificate-ends-soon",
  describe: describeCertificate,
};

/** The hostports in a world that no other reserved domain covers. */
function servedUnder(domain: string, model: Model): string[] {
  const reserved = new Set(
    model.of("reserved_domain").map(({ fields }) => reservedKey(textIn(fields.domain) ?? "")),
  );
  const hostports = model.edges.flatMap(({ fields }) => textsIn(fields.hostports));
  return hostports.filter((hostport) => {
    const keys = coveringKeys(hostport.slice(0, hostport.lastIndexOf(":")));
    return keys.includes(reservedKey(domain)) && !keys.some((key) => reserved.has(key));
  });
}

/** Rules about reserved domains. */
export const reservedRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "domain-released",
    evaluate: ({ before, after }, context) => {
      const domain = before?.kind === "reserved_domain" && !after ? textIn(before.fields.domain) : undefined;
      if (!before || domain === undefined) return [];
      const served = servedUnder(domain, context.after);
      if (served.length === 0) return [];
      const more = served.length - MAX_NAMED;
      const named = listed([
        ...served.slice(0, MAX_NAMED).map(code),
        ...(more > 0 ? [`${more} more hostports`] : []),
      ]);
      const sentence = `The domain ${code(domain)} is released: any project may reserve it and serve ${named}.`;
      return [onObject(before, "domain", { sentence, before: domain, after: null })];
    },
  },
];
