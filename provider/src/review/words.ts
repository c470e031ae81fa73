import { type Exposure, targetWords } from "@tunnelplane/sdk/meaning";
import type { Report, ReviewedFinding } from "./report";

/** One aspect of an address, in words. */
interface Aspect {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const ASPECTS: readonly (readonly [
  name: string,
  field: keyof Exposure,
  words: (exposure: Exposure) => string | null,
])[] = [
  ["Networks", "networks", ({ networks }) => networkWords(networks)],
  [
    "Client certificate",
    "client_certificate",
    ({ client_certificate: certificate }) =>
      certificate &&
      `of ${listed(certificate.authorities.map(({ subject }) => subject || "an unknown authority"))}`,
  ],
  [
    "TLS",
    "tls",
    ({ tls }) => (tls.ends_at === "upstream" ? "ends upstream" : `from ${tls.from}, ends at the edge`),
  ],
  ["Sign-in", "sign_in", ({ sign_in }) => sign_in && `${sign_in.issuer} as ${sign_in.client_id}`],
  ["Token", "token", ({ token }) => token && `of ${listed(token.issuers)} for ${listed(token.audiences)}`],
  [
    "User agents",
    "user_agents",
    ({ user_agents: agents }) =>
      agents &&
      [
        agents.allow.length > 0 && `only ${listed(agents.allow)}`,
        agents.deny.length > 0 && `not ${listed(agents.deny)}`,
      ]
        .filter(Boolean)
        .join(", "),
  ],
  [
    "Actions",
    "actions",
    ({ actions }) =>
      listed(
        actions.map(
          ({ type, direction, conditional }) => `${type} (${direction}${conditional ? ", conditional" : ""})`,
        ),
      ) || null,
  ],
  ["Goes to", "goes_to", ({ goes_to }) => targetWords(goes_to)],
  [
    "Served by",
    "served_by",
    ({ served_by: { credentials, others } }) =>
      servedWords(
        credentials.map(({ name }) => name),
        others,
      ),
  ],
];

/** The aspects of an address that differ; all of them if the address is new or removed. */
export const changedAspects = ({ before, after }: Report["addresses"][number]): Aspect[] =>
  ASPECTS.map(([name, field, words]) => {
    const said = (exposure: Exposure | null) => {
      if (!exposure) return null;
      const text = words(exposure);
      return exposure.unknown.includes(field) ? `${text ?? "none"} (not all of it is known yet)` : text;
    };
    return { name, was: said(before), is: said(after) };
  })
    .filter(({ was, is }) => was !== is)
    .map(({ name, was, is }) => ({
      name,
      before: before ? (was ?? "none") : "",
      after: after ? (is ?? "none") : "",
    }));

/** The path of traffic: who may come, what is checked, and where it goes. */
export function pathOf(exposure: Exposure): { who: string; checks: string[]; to: string } {
  const { client_certificate, sign_in, token, user_agents, actions, tls } = exposure;
  const denies = actions.filter(({ type }) => type === "deny").length;
  const checks = [
    client_certificate && "client certificate",
    sign_in && "sign-in",
    token && "token",
    user_agents && "user agents",
    denies > 0 && (denies === 1 ? "a deny action" : `${denies} deny actions`),
  ].filter((check): check is string => typeof check === "string");
  return {
    who: networkWords(exposure.networks),
    checks: tls.ends_at === "upstream" ? ["TLS ends upstream"] : checks,
    to: targetWords(exposure.goes_to),
  };
}

const FAMILIES: Readonly<Record<string, string>> = {
  "0.0.0.0/0": "every IPv4 address",
  "::/0": "every IPv6 address",
};

function networkWords(networks: Exposure["networks"]): string {
  if (typeof networks === "string") return networks;
  const { more } = networks;
  const shown = [...networks.v4, ...networks.v6].map((network) => FAMILIES[network] ?? network);
  return `${listed(shown, 6)}${more ? " and more" : ""}` || "nobody";
}

const servedWords = (names: readonly string[], others: number): string =>
  listed([...names, ...(others > 0 ? [`${others} others`] : [])]) || "nobody that is known";

function listed(items: readonly string[], most = 5): string {
  return items.length > most
    ? `${items.slice(0, most).join(", ")} and ${items.length - most} more`
    : items.join(", ");
}

/** The cause of a finding: the place in the program, or the object and its field. */
export function causeWords({ cause, offStack, certain }: ReviewedFinding): {
  at: string;
  place: string;
  remarks: string[];
} {
  return {
    at: `${cause.name}${cause.property === undefined ? "" : `: ${cause.property}`}`,
    place: cause.file === undefined ? "" : `${cause.file}${cause.line === undefined ? "" : `:${cause.line}`}`,
    remarks: [...(offStack ? ["reaches beyond the stack"] : []), ...(certain ? [] : ["not certain yet"])],
  };
}

/** What the change lets in, and whether Envoy does it, in one line. */
export const verdictWords = ({ access, limits, tried }: Report): string =>
  [
    access.sentence,
    ...(limits.length > 0 ? ["Not all objects were seen."] : []),
    ...(tried ? [tried.sentence] : []),
  ].join(" ");

/** "2 high, 1 medium" */
export const countWords = ({ counts: { high, medium, low } }: Report): string =>
  `${high} high, ${medium} medium, ${low} low`;

/** "1 create, 2 update" */
export function changeWords({ changes }: Report): string {
  const counts = new Map<string, number>();
  for (const { op } of changes) counts.set(op, (counts.get(op) ?? 0) + 1);
  return [...counts].map(([op, count]) => `${count} ${op}`).join(", ") || "no changes";
}
