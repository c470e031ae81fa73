import { randomBytes } from "node:crypto";
import { hostport, type Json, unique } from "../support/api/expect";
import { targets } from "../support/api/fixtures";
import type { Rest, RestAnswer } from "../support/rest";

/** A secret that tests can search for everywhere. */
export const canary = (): string => `canary-${randomBytes(12).toString("hex")}`;
export const monitoring = (api_key: string) => ({
  format: "json",
  target: { monitoring_service: { api_key } },
});
export const inCloud = (service: string, secret: string) => {
  const all = targets({
    creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: secret },
  }) as Json;
  return { format: "json", target: { [service]: all[service] } };
};
export const oidc = (client_secret: unknown) => ({
  issuer: "https://id.example.com",
  client_id: "shop",
  client_secret,
});
const SERVICES = ["stream_service", "delivery_service", "log_service"];
// biome-ignore lint/suspicious/noExplicitAny: an answer, whatever its shape
type Body = any;

export interface Readable {
  readonly path: string;
  readonly secret: string;
  readonly read: (body: Body) => unknown;
  /** Replaces it. */
  readonly write: (secret: string) => Promise<RestAnswer>;
}

/** An object with every secret that the API shows again, and every way to read them. */
export async function secretsOf(rest: Rest): Promise<Readable[]> {
  const secrets: Readable[] = [];
  const add = async (bodyOf: (secret: string) => Json, read: Readable["read"]) => {
    const secret = canary();
    const path = `/event_destinations/${(await rest.created("/event_destinations", bodyOf(secret))).id}`;
    secrets.push({ path, secret, read, write: (next) => rest.patch(path, bodyOf(next)) });
  };
  for (const service of SERVICES) {
    await add(
      (secret) => inCloud(service, secret),
      ({ target }) => target[service].auth.creds.cloud_secret_access_key,
    );
  }
  await add(monitoring, ({ target }) => target.monitoring_service.api_key);
  const edge = `/edges/https/${(await rest.created("/edges/https", { hostports: [hostport()] })).id}`;
  const secret = canary();
  const match = { match_type: "path_prefix", match: `/${unique()}` };
  const route = `${edge}/routes/${(await rest.created(`${edge}/routes`, { ...match, oidc: oidc(secret) })).id}`;
  const write = (next: string) => rest.put(`${route}/oidc`, oidc(next));
  secrets.push({ path: route, secret, read: (body) => body.oidc.client_secret, write });
  secrets.push({ path: `${route}/oidc`, secret, read: (body) => body.client_secret, write });
  secrets.push({ path: edge, secret, read: (body) => body.routes[0].oidc.client_secret, write });
  return secrets;
}

export async function expectReadable(rest: Rest, secrets: readonly Readable[]): Promise<void> {
  for (const { path, secret, read } of secrets) {
    const answer = await rest.get(path);
    expect(answer.status, answer.text).to.equal(200);
    expect(read(answer.body), path).to.equal(secret);
  }
}
