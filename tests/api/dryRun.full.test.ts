import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModuleName, marksOf, modulesOf } from "@tunnelplane/sdk/contract";
import {
  badQuery,
  expectRefused,
  hostport,
  inUse,
  invalid,
  type Json,
  missingReference,
  notFound,
  type Refusal,
  serverOfThisFile,
  stale,
  taken,
  unique,
  unknownId,
} from "../support/api/expect";
import { role, sshKey } from "../support/api/fixtures";
import { moduleFixtures } from "../support/api/modules";
import { COMMON_FIELDS, type ResourceType, TYPES } from "../support/api/types";
import { onEveryDatabase, onOneDatabase, tracesIn } from "../support/databases";
import { newFolder } from "../support/folder";
import type { RestAnswer } from "../support/rest";

const DRY = "?dry_run=true";
const TIMES = ["created_at", "valid_after", "valid_until", "judged_at"];

/** The fields that only the real request makes: tokens, keys, signatures, addresses. */
const madeBy = ({ definition: { fields, computed } }: ResourceType): string[] =>
  Object.entries({ ...fields, ...computed }).flatMap(([name, schema]) => {
    const { once, made } = marksOf(schema);
    return once || made ? [name] : [];
  });

onEveryDatabase("A dry run", (start) => {
  const server = serverOfThisFile(start);
  const leavingNothing = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const before = await tracesIn(server);
    const result = await attempt();
    expect(await tracesIn(server)).to.deep.equal(before);
    return result;
  };

  const comparable = (type: ResourceType, { body, status, text }: RestAnswer) => {
    const all: Json = JSON.parse(text.replaceAll(body.id, "its id"));
    const differing = [...TIMES, ...madeBy(type)].filter((name) => name in all);
    return { status, body: { ...all, ...Object.fromEntries(differing.map((name) => [name, "made"])) } };
  };

  for (const type of TYPES) {
    it(`of the creation of ${type.name} has the answer of a creation, stores nothing and claims no unique values`, async () => {
      const body = await type.body(server.rest);
      if (type.path.includes("{edge_id}")) await server.read(type.path); // makes the edge
      const tried = await leavingNothing(() =>
        server.rest.post(type.path + DRY, { ...body, description: "mine" }),
      );
      expect(tried.status, tried.text).to.equal(201);
      expect(tried.body).to.have.all.keys(...COMMON_FIELDS, ...type.fields);
      expect(tried.body.id).to.match(new RegExp(`^${type.prefix}_[0-9A-Za-z]{27}$`));
      expect(tried.headers.has("location")).to.equal(false);
      for (const field of madeBy(type)) expect(tried.body[field]).to.equal(null);
      expectRefused(await server.rest.get(`${type.path}/${tried.body.id}`), notFound);
      const made = await server.rest.post(type.path, { ...body, description: "mine" }); // what is unique is still free
      expect(made.headers.has("location")).to.equal(true);
      expect(comparable(type, made)).to.deep.equal(comparable(type, tried));
    });

    it(`of an update or the deletion of ${type.name} has the usual answer, and changes nothing`, async () => {
      const body = await type.body(server.rest);
      const one = `${type.path}/${(await server.created(type.path, body)).id}`;
      const [before, etag] = [await server.read(one), await server.etag(one)];
      const change = { description: "another", metadata: "{}", ...type.update };
      const tried = await leavingNothing(() => server.rest.patch(one + DRY, change));
      expect(tried.status, tried.text).to.equal(200);
      const deletion = await leavingNothing(() => server.rest.delete(one + DRY));
      expect(deletion.status, deletion.text).to.equal(204);
      expect(deletion.text).to.equal("");
      expect(await server.read(one)).to.deep.equal(before);
      expect(await server.etag(one)).to.equal(etag);
      const real = await server.rest.patch(one, change);
      // A dry run keeps no state, so it names no time of one.
      if ("judged_at" in tried.body) expect(tried.body.judged_at).to.equal(null);
      expect({ ...real.body, judged_at: null }).to.deep.equal({ ...tried.body, judged_at: null });
      expect(real.headers.get("etag")).to.equal(tried.headers.get("etag"));
      expect((await server.rest.delete(one)).status).to.equal(204);
    });
  }

  it("of the replacement or removal of a module or entry has the usual answer, and changes nothing", async () => {
    const edge = (
      await server.created("/edges/tls", { hostports: [hostport()], tls_termination: { min_version: "1.2" } })
    ).id;
    const module = `/edges/tls/${edge}/tls_termination`;
    const destination_ids = [
      (await server.created("/event_destinations", await bodyOf("an event destination"))).id,
    ];
    const subscription = await server.created("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids,
    });
    const sources = `/event_subscriptions/${subscription.id}/sources`;
    const [replaced, removed, added, taken_] = await leavingNothing(async () => [
      await server.rest.put(module + DRY, { terminate_at: "edge", min_version: "1.3" }),
      await server.rest.delete(module + DRY),
      await server.rest.post(sources + DRY, { type: "ip_policy_deleted.v0" }),
      await server.rest.delete(`${sources}/ip_policy_created.v0${DRY}`),
    ]);
    expect([replaced, removed, added].map((answer) => answer?.status)).to.deep.equal([200, 204, 201]);
    expect(replaced?.body).to.deep.equal(
      (await server.rest.put(module, { terminate_at: "edge", min_version: "1.3" })).body,
    );
    expect(added?.body).to.deep.equal(
      (await server.rest.post(sources, { type: "ip_policy_deleted.v0" })).body,
    );
    expect(added?.headers.has("location")).to.equal(false);
    expect(taken_?.status).to.equal(204);
  });

  const bodyOf = (name: string) => TYPES.find((type) => type.name === name)?.body(server.rest);

  it("is refused for the same reasons as the change, with the same error", async () => {
    const port = hostport();
    const policy = (await server.created("/ip_policies", {})).id;
    const edge = (
      await server.created("/edges/tls", { hostports: [port], ip_restriction: { ip_policy_ids: [policy] } })
    ).id;
    const key = sshKey().openssh;
    await server.created("/ssh_credentials", { public_key: key });
    const ghost = unknownId("bkdtg");
    const backend = { backend_id: ghost };
    const old = { "if-match": '"77"' };
    const nobody = unknownId("ipp");
    const attempts: readonly [string, string, Json | undefined, Refusal, Record<string, string>?][] = [
      ["POST", "/edges/tls", { hostports: [port] }, taken("hostports[0]")],
      ["POST", "/ssh_credentials", { public_key: key }, taken("public_key")],
      ["POST", "/edges/tls", { backend }, missingReference("backend.backend_id", ghost)],
      ["POST", "/edges/tls", { hostports: [1] }, invalid("hostports[0]")],
      ["POST", "/event_destinations", { target: { log_service: { auth: role } } }, invalid()],
      ["PATCH", `/edges/tls/${edge}`, { backend }, missingReference("backend.backend_id")],
      ["PATCH", `/ip_policies/${nobody}`, {}, notFound],
      ["PATCH", `/edges/tls/${edge}`, {}, stale, old],
      ["PUT", `/edges/tls/${edge}/backend`, backend, missingReference("backend_id")],
      ["DELETE", `/edges/tls/${edge}`, undefined, stale, old],
      ["DELETE", `/ip_policies/${policy}`, undefined, inUse(edge)],
      ["DELETE", `/ip_policies/${nobody}`, undefined, notFound],
    ];
    for (const [method, path, body, refusal, headers] of attempts) {
      const [tried, real] = await leavingNothing(async () => [
        await server.rest.request(method, path + DRY, body, headers),
        await server.rest.request(method, path, body, headers),
      ]);
      expectRefused(tried as RestAnswer, refusal);
      expect(tried?.body.msg).to.equal(real?.body.msg);
    }
  });

  it("needs dry_run=true, and is refused for requests that change nothing", async () => {
    for (const value of ["1", "yes", "", "TRUE", "true&dry_run=true"]) {
      expectRefused(
        await leavingNothing(() => server.rest.post(`/ip_policies?dry_run=${value}`, {})),
        badQuery,
      );
    }
    expectRefused(await server.rest.get(`/ip_policies${DRY}`), badQuery);
    const { id } = (await server.rest.post("/ip_policies?dry_run=false", { description: unique() })).body;
    expect((await server.rest.get(`/ip_policies/${id}`)).status).to.equal(200);
  });
});

onOneDatabase("What a dry run may tell", (start) => {
  const counted = join(newFolder(), "crypto");
  const countedCrypto = join(__dirname, "../support/countedCrypto.cjs");
  const env = { NODE_OPTIONS: `--require=${countedCrypto}`, COUNTED_CRYPTO: counted };
  const server = serverOfThisFile((options) => start({ ...options, env }));
  beforeEach(() => writeFileSync(counted, ""));
  const madeSoFar = () => readFileSync(counted, "utf8").split("\n").length - 1;
  const withRole = async (role: string) => {
    const owner_id = (await server.created("/bot_users", { name: unique(role), role })).id;
    return { owner_id, rest: server.rest.as((await server.created("/api_keys", { owner_id })).token) };
  };

  /** The values that an answer tells and another does not, by their places. */
  const beyond = (told: unknown, shown: unknown, place = ""): string[] => {
    if (told === null || told === undefined || JSON.stringify(told) === JSON.stringify(shown)) return [];
    if (typeof told !== "object") return [`${place}: ${told}`];
    const other = (typeof shown === "object" && shown !== null ? shown : {}) as Json;
    return Object.entries(told).flatMap(([name, value]) => beyond(value, other[name], `${place}.${name}`));
  };

  for (const role of ["viewer", "member", "admin"])
    it(`is, to the role ${role}, what it may read of the made object: of every kind and module, and no key or signature is made for it`, async () => {
      const { rest, owner_id } = await withRole(role);
      const wrong: string[] = [];
      for (const type of TYPES) {
        const { definition } = type;
        const fixtures = await moduleFixtures(server, type.prefix);
        const bodies = [await type.body(server.rest)];
        for (const name of modulesOf(definition) as ModuleName[])
          bodies.push({ ...(await type.body(server.rest)), [name]: fixtures[name].first });
        const path = await server.rest.filled(type.path);
        for (const body of bodies) {
          const before = madeSoFar();
          const tried = await rest.post(path + DRY, body);
          const fields = { ...body, ...(path !== type.path && { edge_id: path.split("/")[3] }) };
          const objects = [{ kind: definition.kind, key: "new", fields }];
          const planned = await rest.post(`/changesets${DRY}`, { set: unique("set"), objects });
          const isAllowed = tried.status === 201;
          expect([tried.status, planned.status], tried.text + planned.text).to.deep.equal(
            isAllowed ? [201, 200] : [403, 403],
          );
          if (!isAllowed) continue;
          if (madeSoFar() > before) wrong.push(`${type.name}: ${readFileSync(counted, "utf8")}`);
          const maker = role === "viewer" ? server.rest : rest;
          const made = await maker.post(path, { ...body, ...("owner_id" in tried.body && { owner_id }) });
          expect(made.status, made.text).to.equal(201);
          // A viewer sees a new project once it is a member there; the plan repeats what it sent.
          const reader = type.prefix === "proj" ? maker : rest;
          const { body: shown } = await reader.get(made.body.uri);
          const differing = Object.fromEntries(["id", "uri", ...TIMES].map((name) => [name, null]));
          const told = JSON.parse(tried.text.replaceAll(tried.body.id, made.body.id));
          wrong.push(...beyond({ ...told, ...differing }, shown, type.name));
          const [{ token, changes, ...operation }] = planned.body.operations;
          expect([token, operation.id]).to.deep.equal([undefined, null]);
          for (const { path: field, new: value } of changes)
            wrong.push(...beyond(value, body[field] ?? (fields as Json)[field], `set ${type.name}.${field}`));
          const name = Object.keys(body).find((field) => field in fixtures) as ModuleName | undefined;
          if (!name) continue;
          const module = `${made.body.uri}/${name}`;
          const replaced = await rest.put(module + DRY, fixtures[name].second);
          await maker.put(module, fixtures[name].second);
          wrong.push(...beyond(replaced.body, (await rest.get(module)).body, module));
        }
      }
      expect(wrong).to.deep.equal([]);
      expect(madeSoFar(), "real requests make keys and sign").to.be.above(2);
    });
});
