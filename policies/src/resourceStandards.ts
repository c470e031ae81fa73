import type { PolicyConfigSchema, ResourceValidationPolicy } from "@pulumi/policy";
import { typeOf } from "@tunnelplane/pulumi/review";
import { definitionOf, durationSeconds, isObject } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/meaning";
import { visible } from "@tunnelplane/sdk/node";
import { type Properties, plain } from "./resources";
import type { StateBefore } from "./stateBefore";

const DAY_MS = 86_400_000;

/** A sentence that says what is wrong with a resource; undefined if nothing is, or if it is not known yet. */
type Judge = (properties: Properties, config: { readonly days?: number }) => string | undefined;

interface Standard
  extends Pick<ResourceValidationPolicy, "name" | "description" | "severity" | "configSchema"> {
  readonly kinds: readonly string[];
  readonly judge: Judge;
}

const daysSchema = (days: number, description: string): PolicyConfigSchema => ({
  properties: { days: { type: "integer", minimum: 1, default: days, description } },
});

const CERTIFICATE_DAYS = 90;
const AUTHORITY_DAYS = 30;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isUnknown = (value: unknown): boolean => value === UNKNOWN;
const timeOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);

/** How long a certificate lasts, in milliseconds. The run chooses the end of one with `validFor`. */
function validityOf({ validAfter, validUntil, validFor }: Properties): number {
  if (typeof validFor === "string" && !isUnknown(validFor)) return durationSeconds(validFor) * 1000;
  const begins = timeOf(validAfter);
  return timeOf(validUntil) - (Number.isNaN(begins) ? Date.now() : begins);
}

/** The end of an authority's certificate: the server's answer, or the certificate itself says it. */
function endOfAuthority({ notAfter, caPem }: Properties): number {
  if (typeof notAfter === "string" && !isUnknown(notAfter)) return timeOf(notAfter);
  if (typeof caPem !== "string" || !caPem.includes("-----BEGIN")) return Number.NaN;
  const { not_after } = definitionOf("certificate_authority").derive({
    description: "",
    metadata: "",
    ca_pem: caPem,
  });
  return timeOf(not_after);
}

const standards: readonly Standard[] = [
  {
    name: "credentials-carry-an-acl",
    description: "Every credential says what it may bind.",
    severity: "high",
    kinds: ["tunnel_credential", "ssh_credential"],
    judge: ({ acl }) => {
      if (isUnknown(acl)) return undefined;
      if (listed(acl).includes("*"))
        return 'Its ACL holds "*": its holder may bind everything. Name what it may bind.';
      return listed(acl).length === 0
        ? "It has no ACL: its holder may bind everything. Name what it may bind."
        : undefined;
    },
  },
  {
    name: "certificates-name-principals",
    description: "Every SSH certificate names the users or hosts that it is for.",
    severity: "high",
    kinds: ["ssh_user_certificate", "ssh_host_certificate"],
    judge: ({ principals }) =>
      isUnknown(principals) || listed(principals).length > 0
        ? undefined
        : "It names no principal: it is good for any. Name them.",
  },
  {
    name: "certificates-end-soon-enough",
    description: "No SSH certificate lasts longer than it has to.",
    severity: "medium",
    configSchema: daysSchema(CERTIFICATE_DAYS, "The most days that a certificate lasts."),
    kinds: ["ssh_user_certificate", "ssh_host_certificate"],
    judge: (properties, { days = CERTIFICATE_DAYS }) => {
      const lasts = validityOf(properties) / DAY_MS;
      return lasts > days
        ? `It lasts ${Math.ceil(lasts)} days; at most ${days} are allowed. Set validFor, and renewBefore.`
        : undefined;
    },
  },
  {
    name: "authorities-have-days-left",
    description: "No authority of client certificates is about to end.",
    severity: "medium",
    configSchema: daysSchema(AUTHORITY_DAYS, "The fewest days that an authority has left."),
    kinds: ["certificate_authority"],
    judge: (properties, { days = AUTHORITY_DAYS }) => {
      const left = (endOfAuthority(properties) - Date.now()) / DAY_MS;
      if (Number.isNaN(left) || left >= days) return undefined;
      const ends = left <= 0 ? "It has ended" : `It ends in ${Math.floor(left)} days`;
      return `${ends}; at least ${days} have to be left. Bring in its successor.`;
    },
  },
  {
    name: "api-keys-expire",
    description: "Every API key ends by itself.",
    severity: "medium",
    kinds: ["api_key"],
    judge: ({ expiresAt }) =>
      expiresAt === undefined || expiresAt === null ? "It never ends. Set expiresAt." : undefined,
  },
  {
    name: "guarantees-are-enforced",
    description: "Every guarantee refuses the changes that would break it.",
    severity: "low",
    kinds: ["guarantee"],
    judge: ({ mode }) =>
      mode === "report" ? "It refuses nothing. Once it holds, take its mode away." : undefined,
  },
  {
    name: "destinations-use-roles",
    description: "No event destination signs in with cloud keys, which last until somebody takes them back.",
    severity: "medium",
    kinds: ["event_destination"],
    judge: ({ target }) => {
      const services = Object.entries(target ?? {}).filter(([, service]) => hasKeys(service));
      return services.length > 0
        ? `target.${services[0]?.[0]}.auth holds cloud keys. Use a role.`
        : undefined;
    },
  },
];

const hasKeys = (service: unknown): boolean =>
  isObject(service) &&
  isObject(service.auth) &&
  service.auth.creds !== undefined &&
  service.auth.creds !== null;

/**
 * Standards for single resources. Each resource is checked before it is created.
 *
 * @param state gets the URN of the first resource, before anything changes
 */
export const resourceStandards = (state: StateBefore): ResourceValidationPolicy[] =>
  standards.map(({ kinds, judge, ...policy }) => ({
    ...policy,
    validateResource({ type, props, urn, getConfig }, report) {
      state.begin(urn);
      if (!kinds.includes(typeOf(type)?.kind ?? "")) return;
      const message = judge(plain(props), getConfig<{ days?: number }>() ?? {});
      if (message !== undefined) report(visible(message));
    },
  }));
