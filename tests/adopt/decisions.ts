import { createHash } from "node:crypto";
import fc from "fast-check";
import { certificate } from "../support/api/fixtures";
import { jwtValidation, oidc } from "../support/api/modules";
import type { Rest } from "../support/rest";
import { CANARY, meaningsById } from "./support";

type Json = Record<string, unknown>;
/** As many as one call takes. */
const EACH = 100;
const [ISSUER, AUTHORITY] = ["https://id.example.com", "the authority"];

const TOKEN = { issuer: ISSUER, audiences: ["shop"] };

/** Adds what a gateway can serve; much of what `fill` makes it cannot. */
export async function fillToServe(rest: Rest): Promise<void> {
  const add = async (path: string, body: object): Promise<string> => (await rest.created(path, body)).id;
  const policy = await add("/ip_policies", { description: "the network" });
  for (const [cidr, action] of [
    ["10.0.0.0/8", "allow"],
    ["10.0.1.0/24", "deny"],
  ])
    await add("/ip_policy_rules", { ip_policy_id: policy, cidr, action });
  const clients = await add("/certificate_authorities", { ca_pem: certificate({ name: "clients" }).pem });
  const page = await add("/backends/http_response", { status_code: 503, body: "later" });
  const group = await add("/backends/tunnel_group", { labels: { service: "shop" } });
  const shop = await add("/edges/https", { hostports: ["shop.example.com:443"], tls_termination: {} });
  const [ip_restriction, backend] = [{ ip_policy_ids: [policy] }, { backend_id: group }];
  const secret = { ...oidc, client_secret: `${CANARY} of oidc \n"quoted"\n` };
  const {
    tokens: [token],
  } = jwtValidation.http;
  for (const [match, modules] of Object.entries({
    "/": {},
    "/page": { backend: { backend_id: page }, user_agent_filter: { deny: ["(?i)^curl/"] } },
    "/office": { backend, ip_restriction },
    "/api": { backend, jwt_validation: { ...jwtValidation, http: { tokens: [token] } } },
    "/me": { backend, oidc: secret },
  }))
    await add(`/edges/https/${shop}/routes`, { match_type: "path_prefix", match, ...modules });
  const exact = { match_type: "exact_path", match: "/me", backend };
  const ours = await add("/edges/https", {
    ...{ hostports: ["ours.example.com:443"], tls_termination: { min_version: "1.3" } },
    mutual_tls: { certificate_authority_ids: [clients] },
  });
  await add(`/edges/https/${ours}/routes`, exact);
  await add("/edges/tcp", { hostports: ["db.example.com:25432"], backend, ip_restriction });
}

/** Requests around the addresses, paths, networks, tokens and sessions of a filled account. */
const requests = fc.record(
  {
    address: fc.constantFrom(
      ...["shop.example.com:443", "shop.example.com:443", "ours.example.com:443", "db.example.com:25432"],
      ...["www.example.com:443", "app.example.com:443", "up.example.com:443", "nobody.example.org:443"],
    ),
    from: fc.constantFrom("198.51.100.7", "10.0.0.9", "10.0.1.1", "192.0.2.1", "2001:db8::1"),
    tls: fc.constantFrom("1.2", "1.3"),
    method: fc.constantFrom("GET", "POST"),
    path: fc.constantFrom("/", "/page", "/office", "/api", "/me"),
    user_agent: fc.constantFrom("curl/8.0", "Mozilla/5.0", null),
    client_certificate: fc.constantFrom(null, { authority: "other" }, { authority: AUTHORITY }),
    token: fc.constantFrom(null, "invalid", TOKEN, { ...TOKEN, audiences: ["other"] }),
    session: fc.constantFrom(null, { issuer: ISSUER, client_id: "shop" }, { issuer: ISSUER, client_id: "x" }),
  },
  { requiredKeys: ["address", "from", "client_certificate"] },
);

/** What a server says of so many generated requests, the same for each seed; objects are told by content. */
export async function decisionsOf(
  rest: Rest,
  world: readonly Json[],
  { seed, numRuns }: { readonly seed: number; readonly numRuns: number },
): Promise<Json[]> {
  const authority = world.find(({ subject_common_name: name }) => name === "clients")?.id;
  const asked = fc.sample(requests, { seed, numRuns }).map((one) => {
    const isOurs = one.client_certificate?.authority === AUTHORITY;
    return isOurs ? { ...one, client_certificate: { authority } } : one;
  });
  const told = tellerOf(world);
  const decided: Json[] = [];
  while (decided.length < asked.length) {
    const part = { requests: asked.slice(decided.length, decided.length + EACH) };
    const { status, text, body } = await rest.post("/exposure/decisions", part);
    if (status !== 200) throw new Error(text);
    decided.push(...(told(body.decisions) as Json[]));
  }
  return decided;
}

/** Hold an object's name: a catalogue gives one to each. */
const NAMED = ["name", "sentence"];

/** Puts what an object means in the place of its id. */
function tellerOf(world: readonly Json[]): (value: unknown) => unknown {
  const meanings = new Map([...meaningsById(world)].map(([id, meaning]) => [id, hashOf(meaning)]));
  const told = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.replaceAll(/\b[a-z]+_[0-9A-Za-z]{27}\b/g, (id) => meanings.get(id) ?? id);
    if (Array.isArray(value)) return value.map(told);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) => (NAMED.includes(name) ? [] : [[name, told(one)]])),
    );
  };
  return told;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
