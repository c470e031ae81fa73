import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { defineResource, type Settled } from "../core/definition";
import { conditioned, description, MAX_ENTRIES, metadata, object, reference, text } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { isDomain } from "../formats/host";
import { reservedKey } from "../formats/reserved";

const BOTH =
  "must be left out, because `certificate_management_policy` is set: a domain has a certificate that you upload, or one that is ordered for it";

interface Certified {
  readonly certificate_id?: string;
  readonly certificate_management_policy?: object | null;
  readonly resolves_to?: readonly object[];
}

const oneCertificate: Rule<Certified> = function* (sent) {
  if (sent.certificate_id && sent.certificate_management_policy)
    yield { path: ["certificate_id"], message: BOTH };
};

/**
 * Setting a certificate removes the policy, and setting a policy removes the certificate. Public clients send
 * all fields back: a certificate that the policy has ordered is then not taken for a new one.
 */
function settle(given: Certified, before: Certified): Settled {
  const { certificate_id: certificate, certificate_management_policy: policy, ...rest } = given;
  const others = rest.resolves_to?.length === 0 ? { ...rest, resolves_to: undefined } : rest;
  const isNewCertificate = certificate !== undefined && certificate !== before.certificate_id;
  const isNewPolicy =
    policy !== undefined && !isDeepStrictEqual(policy, before.certificate_management_policy);
  const removed = (name: keyof Certified) =>
    name in given && given[name] === undefined ? { [name]: undefined } : {};
  if (isNewCertificate && isNewPolicy) return { path: ["certificate_id"], message: BOTH };
  if (isNewCertificate)
    return {
      fields: { ...others, certificate_id: certificate, certificate_management_policy: undefined },
    };
  if (isNewPolicy) {
    const uploaded = before.certificate_management_policy ? {} : { certificate_id: undefined };
    return { fields: { ...others, certificate_management_policy: policy, ...uploaded } };
  }
  const policyRemoved = removed("certificate_management_policy");
  return {
    fields: {
      ...others,
      ...removed("certificate_id"),
      ...policyRemoved,
      // The certificate that was ordered goes with the policy.
      ...("certificate_management_policy" in policyRemoved && { certificate_id: undefined }),
    },
  };
}

/** Shown until the server begins with the order, within a second. */
const NOT_BEGUN = {
  renews_at: null,
  provisioning_job: {
    error_code: null,
    msg: "The certificate is about to be ordered",
    started_at: null,
    retries_at: null,
  },
};

const moment = (doc: string) => z.iso.datetime({ offset: true }).nullable().meta({ description: doc });

/** names "Reserved domain". */
export const reservedDomain = defineResource({
  type: "ReservedDomain",
  kind: "reserved_domain",
  title: "reserved domain",
  doc: "Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it.",
  path: "/reserved_domains",
  listKey: "reserved_domains",
  idPrefix: "rd",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    domain: mark(
      conditioned(text(255), (value) =>
        isDomain(value, { wildcard: true })
          ? undefined
          : 'must be a domain name, or "*." and a domain name for all names below it',
      ),
      { immutable: true },
    ).meta({
      description:
        "The domain, or `*.` and a domain for all names below it, at any depth. `example.com` does not cover the names below it. Set at creation only.",
      examples: ["app.example.com"],
    }),
    region: mark(text(255).default(""), { immutable: true }).meta({
      description: "Stored as sent, for programs that name one. Set at creation only.",
    }),
    certificate_id: mark(
      reference("tls_certificate", { answeredAs: "certificate", usesPrivateKey: true }).optional(),
      {
        removable: true,
      },
    ).meta({
      description:
        "The TLS certificate that gateways serve for the domain, which it must cover. With a `certificate_management_policy`, the one that was ordered.",
    }),
    certificate_management_policy: mark(
      object(
        {
          authority: z.literal("letsencrypt").default("letsencrypt").meta({
            description: "The authority: `letsencrypt`.",
          }),
          private_key_type: z
            .enum(["ecdsa", "rsa"])
            .default("ecdsa")
            .meta({ description: "The type of the key: `ecdsa` (P-256) or `rsa` (2048 bits)." }),
        },
        { name: "ReservedDomainCertPolicy" },
      ).optional(),
      { removable: true },
    ).meta({
      description:
        "Asks for a certificate that the server orders and renews by ACME. It takes the place of `certificate_id`, and the other way round.",
    }),
    resolves_to: z
      .array(
        object(
          { value: text(255).meta({ description: "A name or an address." }) },
          { name: "ReservedDomainResolvesTo" },
        ),
      )
      .max(MAX_ENTRIES)
      .optional()
      .meta({
        description: "Stored as sent, for programs that name some; null where none are named, and for `[]`.",
      }),
  },
  computed: {
    cname_target: z.string().nullable().meta({
      description:
        "The name to which a CNAME record of the domain should lead: the server's `--cname-target`; null without one.",
    }),
    certificate_management_status: mark(
      z
        .object({
          renews_at: moment("When the certificate will be renewed (RFC 3339); null while there is none."),
          provisioning_job: z
            .object({
              error_code: z
                .string()
                .nullable()
                .meta({ description: "The reason why no certificate was issued; null for none yet." }),
              msg: z.string().meta({ description: "The same in words." }),
              started_at: moment("When it was first tried (RFC 3339)."),
              retries_at: moment("When it will be tried again (RFC 3339); null while it is in progress."),
            })
            .nullable()
            .meta({ description: "The order in progress; null for none." }),
        })
        .nullable(),
      { fleeting: true },
    ).meta({ description: "How far the certificate is that the policy asks for; null without a policy." }),
    acme_tls_alpn: mark(z.string().nullable(), { fleeting: true }).meta({
      description:
        "While a certificate is ordered with the challenge `tls-alpn-01` (RFC 8737): the digest that gateways show, in base64url; null otherwise.",
    }),
    acme_challenge_cname_target: z
      .string()
      .nullable()
      .meta({ description: "Always null: challenges need no CNAME record of the domain here." }),
  },
  derive: ({ certificate_management_policy: policy }) => ({
    acme_tls_alpn: null,
    cname_target: null,
    certificate_management_status: policy ? NOT_BEGUN : null,
    acme_challenge_cname_target: null,
  }),
  creationRules: [oneCertificate],
  settle,
  unique: ({ domain }) => [
    {
      scope: "reserved_domain",
      key: reservedKey(domain),
      path: ["domain"],
      taken: "is reserved already; change that reserved domain instead",
    },
  ],
  findBy: ["domain"],
  sample: {
    description: "our app",
    domain: "app.example.com",
    certificate_id: "tls_certificate/shop",
  },
  example: `const domain = new tunnels.ReservedDomain("app", {
  domain: "app.example.com",
  certificateId: certificate.id,
});`,
});
