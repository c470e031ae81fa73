import { registry } from "@tunnelplane/sdk/contract";
import { evaluateGuarantees, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { apiOnOneDatabase, type Json } from "../support/api/expect";
import { certificate } from "../support/api/fixtures";
import { jwtValidation, oidc } from "../support/api/modules";
import type { RestAnswer } from "../support/rest";
import { figure, LIMIT_MS, size } from "../support/size";

const STEPS = { seed: 20261124, numRuns: size(50, 3_000) };
const MAX_GUARANTEES = 12;
const some = fc.constantFrom;
const oneOf = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;
const hostports = fc.subarray(
  ["a.w.test:443", "b.w.test:443", "*.w.test:443", "x.a.w.test:443", "*.a.w.test:443", "*.x.test:8443"],
  { minLength: 1, maxLength: 2 },
);
const match = some("/", "/", "/admin", "/adm", "/health");
const carried = some("any", "any", "none", "required");
const enabled = some(true, true, true, false);
const cidr = some("10.1.0.0/16", "0.0.0.0/1", "0.0.0.0/0", "198.51.100.0/24", "::/0");

/** A change, of those of its kind that exist by number. */
const changes = fc.record({
  kind: some(
    ...["guarantee", "guarantee", "edge", "tls", "route", "route", "route", "module", "module", "module"],
    ...["without", "match", "hostports", "rule", "rule", "rule", "widened", "ended", "ended", "edges"],
  ),
  first: fc.nat(1000),
  second: fc.nat(1000),
  hostports,
  match,
  cidr,
  enabled,
  isExact: some(false, false, true),
  action: some("allow", "allow", "deny"),
  guarantee: fc.record({
    expect: some("refused", "refused", "refused", "refused", "answered"),
    addresses: some(
      "*:443/admin",
      "*:*",
      "*.w.test:443",
      "a.w.test:443",
      "c.w.test:*",
      "*.w.test:443/admin",
    ).map((one) => [one]),
    methods: fc.subarray(["GET", "POST"]),
    except_networks: some("10.0.0.0/8", "10.0.0.0/8", "0.0.0.0/1").map((one) => [one]),
    client_certificate: carried,
    token: carried,
    session: carried,
  }),
});
type Change = typeof changes extends fc.Arbitrary<infer C> ? C : never;
type Send = (() => Promise<RestAnswer>) | undefined;

apiOnOneDatabase("Guarantees over generated changes", (server) => {
  const policies: string[] = [];
  const authorities: string[] = [];
  const backends: string[] = [];
  before("make what edges use", async () => {
    for (const name of ["a", "b"]) {
      const { id } = await server.created("/ip_policies", {});
      await server.created("/ip_policy_rules", { ip_policy_id: id, cidr: "10.0.0.0/8", action: "allow" });
      policies.push(id);
      const { pem } = certificate({ name });
      authorities.push((await server.created("/certificate_authorities", { ca_pem: pem })).id);
    }
    backends.push((await server.created("/backends/http_response", { status_code: 204 })).id);
    const [first = ""] = backends;
    backends.push((await server.created("/backends/weighted", { backends: { [first]: 1 } })).id);
    for (const [hostport, ...routes] of [
      ["*.w.test:443", "/", "/admin"],
      ["a.w.test:443", "/"],
    ]) {
      const { id } = await server.created("/edges/https", { hostports: [hostport] });
      for (const [index, match] of routes.entries()) {
        const ip_restriction = { ip_policy_ids: [policies[index]] };
        const route = { match_type: "path_prefix", match, ip_restriction };
        await server.created(`/edges/https/${id}/routes`, route);
      }
    }
  });

  const all = async (path: string): Promise<Json[]> => {
    const { body } = await server.rest.get(`${path}${path.includes("?") ? "&" : "?"}limit=100`);
    return Object.values(body).find(Array.isArray) as Json[];
  };

  const modulesOf = ({ first, second, enabled: on }: Change): readonly [string, Json][] => [
    ["ip_restriction", { enabled: on, ip_policy_ids: [oneOf(policies, first)] }],
    ["backend", { enabled: on, backend_id: oneOf(backends, second) }],
    ["jwt_validation", { ...jwtValidation, enabled: on }],
    ["oidc", { ...oidc, enabled: on }],
  ];

  async function sendingOf(change: Change): Promise<Send> {
    const { kind, first, second, guarantee, cidr: network, action } = change;
    const { rest } = server;
    if (kind === "guarantee") return () => rest.post("/guarantees", guarantee);
    const mutual = { enabled: change.enabled, certificate_authority_ids: [oneOf(authorities, second)] };
    const own = { hostports: change.hostports, ...(first % 3 === 0 && { mutual_tls: mutual }) };
    const modules = modulesOf(change);
    const [module = "", fields = {}] = oneOf(kind === "tls" ? modules.slice(0, 2) : modules, first + second);
    if (kind === "edge") return () => rest.post("/edges/https", own);
    if (kind === "tls") return () => rest.post("/edges/tls", { ...own, [module]: fields });
    const rule = { ip_policy_id: oneOf(policies, first), cidr: network, action };
    if (kind === "rule") return () => rest.post("/ip_policy_rules", rule);
    const rules = await all("/ip_policy_rules");
    const { id: ruleId } = oneOf(rules, first) ?? {};
    if (kind === "widened")
      return rules.length > 0 ? () => rest.patch(`/ip_policy_rules/${ruleId}`, { cidr: network }) : undefined;
    if (kind === "ended")
      return rules.length > 0 ? () => rest.delete(`/ip_policy_rules/${ruleId}`) : undefined;
    const edges = [...(await all("/edges/https")), ...(await all("/edges/tls"))];
    const edge = oneOf(edges, first);
    if (!edge) return undefined;
    const path = edge.routes ? `/edges/https/${edge.id}` : `/edges/tls/${edge.id}`;
    if (kind === "edges") return () => rest.delete(path);
    if (kind === "hostports") return () => rest.patch(path, { hostports: change.hostports });
    if (!edge.routes) return undefined;
    const match_type = change.isExact ? "exact_path" : "path_prefix";
    const made = { match_type, match: change.match, [module]: fields };
    if (kind === "route") return () => rest.post(`${path}/routes`, made);
    const route = oneOf(edge.routes as Json[], second);
    if (!route) return undefined;
    const place = `${path}/routes/${route.id}`;
    if (kind === "match") return () => rest.patch(place, { match: change.match });
    if (kind === "without") return () => rest.delete(first % 2 ? place : `${place}/${module}`);
    return () => rest.put(`${place}/${module}`, fields);
  }

  const states = async (): Promise<ReadonlyMap<string, Json>> =>
    new Map((await all("/guarantees?state=true")).map((one) => [String(one.id), one]));

  async function withoutBroken(all: ReadonlyMap<string, Json>): Promise<ReadonlyMap<string, Json>> {
    const isIdle = ({ state, mode }: Json) => mode === "report" || state === "broken";
    const idle = [...all].filter(([, one]) => isIdle(one));
    for (const [id] of idle) await server.rest.delete(`/guarantees/${id}`);
    return new Map([...all].filter(([, one]) => !isIdle(one)));
  }

  async function world(): Promise<World> {
    const objects: WorldObject[] = [];
    for (const { kind, path } of registry.filter((one) =>
      /edge$|backend$|policy|^certificate/.test(one.kind),
    ))
      for (const { routes, ...fields } of await all(path))
        objects.push(
          { kind, id: String(fields.id), fields },
          ...((routes ?? []) as Json[]).map((one) => ({
            kind: "https_edge_route",
            id: String(one.id),
            fields: one,
          })),
        );
    return { objects };
  }

  it("refuse exactly the changes that break one, and show the state that the stored objects give it", async function () {
    this.timeout(LIMIT_MS);
    const { rest } = server;
    const seen = { kept: 0, refused: 0, compared: 0 };
    const first = fc.sample(changes, { ...STEPS, numRuns: MAX_GUARANTEES });
    for (const { guarantee } of first) await rest.post("/guarantees", guarantee);
    let before = await withoutBroken(await states());
    for (const change of fc.sample(changes, STEPS)) {
      const isFull = change.kind === "guarantee" && before.size >= MAX_GUARANTEES;
      const send = isFull ? undefined : await sendingOf(change);
      if (!send) continue;
      const said = JSON.stringify(change);
      let answer = await send();
      expect(answer.status, `${said} ${answer.text}`).to.be.below(500);
      const broken: string[] = [];
      while (answer.body?.error_code === "TP_1504") {
        expect(await states(), said).to.deep.equal(before);
        seen.refused++;
        if (change.second % 3 > 0) break;
        for (const { id } of answer.body.guarantees) {
          expect(before.get(id)?.state, said).to.equal("holds");
          broken.push(id);
          await rest.patch(`/guarantees/${id}`, { mode: "report" });
        }
        before = await states();
        answer = await send();
      }
      const after = await states();
      for (const id of broken) expect(after.get(id)?.state, `${said} ${id}`).to.equal("broken");
      for (const [id, { state, mode }] of before)
        if (state === "holds" && mode === "enforce")
          expect(after.get(id)?.state, `${said} ${id}`).to.equal("holds");
      seen.kept++;
      before = await withoutBroken(after);
      if (seen.kept % 10 > 0) continue;
      const shown = [...before.values()];
      const whole = evaluateGuarantees(await world(), shown).map(({ state, covered }) => [state, covered]);
      expect(
        shown.map(({ state, covered }) => [state, covered]),
        said,
      ).to.deep.equal(whole);
      seen.compared++;
    }
    figure(JSON.stringify(seen));
  });
});
