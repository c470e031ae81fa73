import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { marksOf, registry, secretPathsOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { z } from "zod";
import { openCore } from "../../server/src/core";
import { readSecret } from "../../server/src/secrets";
import { contentOf, execute, onEveryDatabase, rowsIn } from "../../support/databases";
import { Rest, type RestAnswer } from "../../support/rest";
import { command, endOf, MASTER_KEY, run, type ServerProcess } from "../../support/server";
import { sshKey, targets } from "../api/fixtures";
import { expectRefused, hostport, type Json, unique } from "../api/support";

const internal = { status: 500, code: "TP_1800" };
const isUrl = (data: string) => data.startsWith("postgres:");
/** A secret that is found wherever it turns up. */
const canary = (): string => `canary-${randomBytes(12).toString("hex")}`;
const monitoring = (api_key: string) => ({ format: "json", target: { monitoring_service: { api_key } } });
const inCloud = (service: string, secret: string) => {
  const all = targets({ creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: secret } }) as Json;
  return { format: "json", target: { [service]: all[service] } };
};
const oidc = (client_secret: unknown) => ({ issuer: "https://id.example.com", client_id: "shop", client_secret });
const SERVICES = ["stream_service", "delivery_service", "log_service"];

async function created(rest: Rest, path: string, body: unknown, headers = {}): Promise<RestAnswer["body"]> {
  const answer = await rest.post(path, body, headers);
  expect(answer.status, answer.text).to.equal(201);
  return answer.body;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer, whatever its shape
type Body = any;

interface Readable {
  readonly path: string;
  readonly secret: string;
  readonly read: (body: Body) => unknown;
  /** Replaces it. */
  readonly write: (secret: string) => Promise<RestAnswer>;
}

/** An object with each of the secrets that must be read again, and every way to read them. */
async function secretsOf(rest: Rest): Promise<Readable[]> {
  const secrets: Readable[] = [];
  const add = async (bodyOf: (secret: string) => Json, read: Readable["read"]) => {
    const secret = canary();
    const path = `/event_destinations/${(await created(rest, "/event_destinations", bodyOf(secret))).id}`;
    secrets.push({ path, secret, read, write: (next) => rest.patch(path, bodyOf(next)) });
  };
  for (const service of SERVICES) {
    await add(
      (secret) => inCloud(service, secret),
      ({ target }) => target[service].auth.creds.cloud_secret_access_key,
    );
  }
  await add(monitoring, ({ target }) => target.monitoring_service.api_key);
  const edge = `/edges/https/${(await created(rest, "/edges/https", { hostports: [hostport()] })).id}`;
  const secret = canary();
  const match = { match_type: "path_prefix", match: `/${unique()}` };
  const route = `${edge}/routes/${(await created(rest, `${edge}/routes`, { ...match, oidc: oidc(secret) })).id}`;
  const write = (next: string) => rest.put(`${route}/oidc`, oidc(next));
  secrets.push({ path: route, secret, read: (body) => body.oidc.client_secret, write });
  secrets.push({ path: `${route}/oidc`, secret, read: (body) => body.client_secret, write });
  secrets.push({ path: edge, secret, read: (body) => body.routes[0].oidc.client_secret, write });
  return secrets;
}

async function expectReadable(rest: Rest, secrets: readonly Readable[]): Promise<void> {
  for (const { path, secret, read } of secrets) {
    const answer = await rest.get(path);
    expect(answer.status, answer.text).to.equal(200);
    expect(read(answer.body), path).to.equal(secret);
  }
}

/** All that a database has written, as bytes where it is a file. */
async function storedIn(data: string): Promise<string> {
  if (isUrl(data)) return JSON.stringify(await contentOf(data));
  const files = readdirSync(data).filter((name) => name.startsWith("tunnelplane.db"));
  expect(files).to.include.members(["tunnelplane.db", "tunnelplane.db-wal", "tunnelplane.db-shm"]);
  return files.map((name) => readFileSync(join(data, name), "latin1")).join("\n");
}

async function everyPage(rest: Rest, path: string): Promise<string> {
  let text = "";
  for (let next: string | null = path; next; ) {
    const answer: RestAnswer = await rest.get(next);
    expect(answer.status, answer.text).to.equal(200);
    text += answer.text;
    next = answer.body.next_page_uri;
  }
  return text;
}

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1),
  Buffer.from(secret).toString("hex"),
];

function expectNone(secrets: readonly string[], where: Readonly<Record<string, string>>): void {
  for (const [place, text] of Object.entries(where)) {
    expect(text, place).not.to.equal("");
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(text.includes(form), `${form} in ${place}`).to.equal(false);
    }
  }
}

/** A database, opened with the server's own code and the master key. */
const coreOf = (data: string) =>
  openCore({ ...(isUrl(data) ? { data: "", databaseUrl: data } : { data }), masterKey: MASTER_KEY, databasePool: 1 });

/** The private key of an authority, which no answer shows. */
async function privateKeyOf(data: string, id: string): Promise<string> {
  const { store, keyring } = await coreOf(data);
  try {
    const pem = await readSecret(store.reader, keyring, { id, name: "private_key" });
    return pem ?? expect.fail("The authority has no key");
  } finally {
    await store.close();
  }
}

/** How many places in the contract are marked as secret, also below lists and maps, where nothing looks for them. */
function marked(schema: z.ZodType): number {
  const inner = schema as z.ZodType & {
    unwrap?: () => z.ZodType;
    element?: z.ZodType;
    shape?: Record<string, z.ZodType>;
    valueType?: z.ZodType;
  };
  if (marksOf(schema).secret) return 1;
  if (marksOf(schema).embeds) return 0;
  const below = [
    inner.element,
    inner.valueType,
    ...Object.values(inner.shape ?? {}),
    ...(inner.unwrap && !inner.element ? [inner.unwrap()] : []),
  ];
  return below.reduce((sum, one) => sum + (one instanceof z.ZodType ? marked(one) : 0), 0);
}

describe("The contract's secrets", () => {
  const paths = Object.fromEntries(
    registry.map((definition) => [definition.kind, secretPathsOf(definition)]).filter(([, found]) => found?.length),
  );

  it("are these, and no others", () => {
    expect(paths).to.deep.equal({
      tunnel_credential: ["token"],
      https_edge_route: ["oidc.client_secret"],
      event_destination: [
        "target.delivery_service.auth.creds.cloud_secret_access_key",
        "target.stream_service.auth.creds.cloud_secret_access_key",
        "target.log_service.auth.creds.cloud_secret_access_key",
        "target.monitoring_service.api_key",
      ],
      api_key: ["token"],
    });
  });

  it("stand nowhere that is not searched for them, such as in lists", () => {
    for (const definition of registry) {
      const fields = Object.values({ ...definition.fields, ...definition.computed });
      expect(
        fields.reduce((sum, field) => sum + marked(field), 0),
        definition.kind,
      ).to.equal(secretPathsOf(definition).length);
    }
  });
});

onEveryDatabase("A secret", (start, database) => {
  let folder: string;
  let server: ServerProcess;
  let rest: Rest;
  before("start a server", async () => {
    folder = mkdtempSync(join(tmpdir(), "tunnelplane-secrets-"));
    server = await start({ data: await database.create(), args: ["--log-level", "debug"] });
    rest = new Rest(server.url, server.apiKey);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is answered where the specification says so, and stands in clear in no file, backup, log, event or audit row", async () => {
    const first = await secretsOf(rest);
    await expectReadable(rest, first);
    const renewed = canary();
    for (const { write } of first) expect((await write(renewed)).status).to.equal(200);
    const secrets = first.map((one) => ({ ...one, secret: renewed }));
    await expectReadable(rest, secrets);
    const authority = (await created(rest, "/ssh_certificate_authorities", {}, { "idempotency-key": unique() })).id;
    const pem = await privateKeyOf(server.data, authority);
    const told = [
      (await created(rest, "/credentials", {}, { "idempotency-key": unique() })).token,
      (await created(rest, "/api_keys", {}, { "idempotency-key": unique() })).token,
    ];
    const kept = await created(rest, "/event_destinations", monitoring(canary()), { "idempotency-key": unique() });
    const gone = await created(rest, "/event_destinations", monitoring(canary()));
    await rest.delete(`/event_destinations/${gone.id}`);
    const all = [
      ...first.map(({ secret }) => secret),
      renewed,
      ...told,
      kept.target.monitoring_service.api_key,
      gone.target.monitoring_service.api_key,
      server.apiKey,
      ...pem.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----")),
    ];
    const file = join(folder, "backup.gz");
    const backup = await run(server.data, "backup", file);
    expect(backup.code, backup.err).to.equal(0);
    const lists = ["/credentials", "/api_keys", "/ssh_certificate_authorities"];
    expectNone(all, {
      database: await storedIn(server.data),
      backup: gunzipSync(readFileSync(file)).toString("latin1"),
      log: server.log,
      "what the server printed": server.printed,
      "what the backup printed": backup.err,
      events: await everyPage(rest, "/events?limit=7"),
      "audit log": await everyPage(rest, "/audit_events?limit=7"),
      metrics: (await rest.get("/metrics")).text,
      "lists of what was told once": (await Promise.all(lists.map((path) => everyPage(rest, path)))).join(),
    });
    expect(server.log).to.include('"level":30');
    if (isUrl(server.data)) return;
    await server.stop();
    expectNone(all, { "database at rest": readFileSync(join(server.data, "tunnelplane.db"), "latin1") });
    server = await start({ data: server.data, args: ["--log-level", "debug"] });
    rest = new Rest(server.url, server.apiKey);
    await expectReadable(rest, secrets);
  });

  it("that is sent in a wrong place is repeated in no error and no log", async () => {
    const secret = canary();
    const edge = (await created(rest, "/edges/https", { hostports: [hostport()] })).id;
    const routes = `/edges/https/${edge}/routes`;
    const match = { match_type: "path_prefix", match: "/" };
    const bodies: [string, unknown][] = [
      ...[{ x: secret }, [secret]].map((wrong): [string, unknown] => [routes, { ...match, oidc: oidc(wrong) }]),
      [routes, { ...match, oidc: secret }],
      [routes, { ...match, oidc: [oidc(secret)] }],
      [routes, { ...match, oidc: { client_secret: secret } }],
      [routes, { ...match, oidc: { ...oidc(secret), secret, inactivity_timeout: secret, scopes: secret, issuer: secret } }],
      [routes, { ...match, client_secret: secret }],
      [routes, { ...match, oidc: oidc(secret), match_type: "none" }],
      [routes, { ...match, oidc: oidc(secret), backend: { backend_id: `bkdtg_${"0".repeat(27)}` } }],
      ["/event_destinations", { target: secret }],
      ["/event_destinations", { format: secret, target: { monitoring_service: secret } }],
      ["/event_destinations", { target: { monitoring_service: { api_key: [secret] } } }],
      ["/event_destinations", { target: { monitoring_service: { api_key: { secret } } } }],
      ["/event_destinations", { target: { monitoring_service: { api_key: secret, key: secret, service: [secret] } } }],
      ["/event_destinations", { target: { ...monitoring(secret).target, ...inCloud("log_service", secret).target } }],
      ["/event_destinations", { target: { log_service: { auth: { creds: secret }, log_group_ref: secret } } }],
      ["/event_destinations", { target: { log_service: { auth: { creds: { cloud_secret_access_key: secret } } } } }],
      ["/event_destinations", { ...monitoring(secret), description: "d".repeat(256) }],
      ["/credentials", { token: secret }],
      ["/api_keys", { token: secret }],
      ["/credentials", { description: secret.repeat(20) }],
      ["/credentials", { metadata: { secret } }],
      ["/ssh_credentials", { public_key: sshKey().privateKey.replace(/\n.{20}/, `\n${secret}`) }],
      ["/certificate_authorities", { ca_pem: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` }],
      ["/ssh_certificate_authorities", { private_key: secret }],
      ["/bot_users", { name: [secret] }],
      ["/credentials", `{"token": "${secret}"`],
      ["/credentials", `"${secret}"`],
      ["/credentials", secret],
      ["/credentials", `{"token": "${secret}"} x`],
      ["/credentials", `{"__proto__": "${secret}"}`],
    ];
    const answers: RestAnswer[] = [];
    const log = await server.logDuring(async () => {
      for (const [path, body] of bodies) answers.push(await rest.post(path, body), await rest.post(`${path}?dry_run=true`, body));
      for (const query of ["limit", "before_id", "anything", "api_key"]) answers.push(await rest.get(`/credentials?${query}=${secret}`));
      for (const query of ["type", "before_id", "token"]) answers.push(await rest.get(`/events?${query}=${secret}`));
      answers.push(await rest.post(`/credentials?dry_run=${secret}`, {}));
      for (const authorization of [`Bearer ${secret}`, secret, `Basic ${secret}`])
        answers.push(await rest.get("/credentials", { authorization }));
      answers.push(await rest.post("/credentials", {}, { "idempotency-key": `${secret} ${secret}` }));
      answers.push(await rest.patch(`/edges/https/${edge}`, {}, { "if-match": secret }));
    });
    for (const answer of answers) {
      expect(answer.status, answer.text).to.be.within(400, 499);
      expect(answer.text).not.to.include(secret);
      expect(JSON.stringify([...answer.headers])).not.to.include(secret);
    }
    expect(log).not.to.include(secret);
  });

  it("that was moved to another object in the database, or changed, is not shown, and the log says where it stands", async () => {
    const [mine, theirs] = [canary(), canary()];
    const [one, other] = [
      await created(rest, "/event_destinations", monitoring(mine)),
      await created(rest, "/event_destinations", monitoring(theirs)),
    ];
    const documentOf = async (id: string) => {
      const [row] = (await rowsIn(server.data, `select document from resource where id = '${id}'`)) as { document: string }[];
      return row?.document ?? "";
    };
    const sealedIn = (document: string) => /"(sealed:[\w-]+\.[\w-]+)"/.exec(document)?.[1] ?? "";
    const before = await documentOf(one.id);
    const sealed = sealedIn(before);
    const flipped = sealed.slice(0, -10) + (sealed.at(-10) === "A" ? "B" : "A") + sealed.slice(-9);
    for (const replacement of [sealedIn(await documentOf(other.id)), flipped, sealed.slice(0, 40)]) {
      await execute(server.data, `update resource set document = '${before.replace(sealed, replacement)}' where id = '${one.id}'`);
      const log = await server.logDuring(async () => {
        for (const answer of [
          await rest.get(`/event_destinations/${one.id}`),
          await rest.get("/event_destinations"),
          await rest.patch(`/event_destinations/${one.id}`, { description: "another" }),
        ]) {
          expectRefused(answer, internal);
          for (const secret of [mine, theirs, sealed]) expect(answer.text).not.to.include(secret);
        }
      });
      expect(log).to.include(`${one.id}/target.monitoring_service.api_key`);
      for (const secret of [mine, theirs]) expect(log).not.to.include(secret);
      expect((await rest.get(`/event_destinations/${other.id}`)).body.target.monitoring_service.api_key).to.equal(theirs);
    }
    await execute(server.data, `update resource set document = '${before}' where id = '${one.id}'`);
    expect((await rest.get(`/event_destinations/${one.id}`)).body.target.monitoring_service.api_key).to.equal(mine);
  });

  it("of an authority that was given the key of another in the database signs nothing", async () => {
    const [one, other] = [
      (await created(rest, "/ssh_certificate_authorities", {})).id,
      (await created(rest, "/ssh_certificate_authorities", {})).id,
    ];
    const swap = `update sealed_secret set value = (select value from sealed_secret where resource_id = '${other}') where resource_id = '${one}'`;
    await execute(server.data, swap);
    const body = { ssh_certificate_authority_id: one, public_key: sshKey().openssh, principals: ["ada"] };
    const log = await server.logDuring(async () => expectRefused(await rest.post("/ssh_user_certificates", body), internal));
    expect(log).to.include(`${one}/private_key`);
    await created(rest, "/ssh_user_certificates", { ...body, ssh_certificate_authority_id: other });
  });

  it("that an older version stored in clear is sealed when a server starts", async () => {
    const secrets = await secretsOf(rest);
    const authority = (await created(rest, "/ssh_certificate_authorities", {})).id;
    const pem = await privateKeyOf(server.data, authority);
    const answered = new Map<string, string>();
    const kinds = "('event_destination', 'https_edge_route', 'https_edge')";
    await server.stop();
    const rows = (await rowsIn(server.data, `select id, document from resource where kind in ${kinds}`)) as {
      id: string;
      document: string;
    }[];
    // What the version before would hold: each sealed text is one of those that were sent.
    const core = await coreOf(server.data);
    for (const { id, document } of rows) {
      const definition = registry.find(({ idPrefix }) => id.startsWith(`${idPrefix}_`)) as never;
      answered.set(id, await core.documents.open(core.store.reader, definition, document));
    }
    await core.store.close();
    for (const [id, document] of answered) {
      await execute(server.data, `update resource set document = '${document.replaceAll("'", "''")}' where id = '${id}'`);
    }
    await execute(server.data, `update sealed_secret set value = '${pem}' where resource_id = '${authority}'`);
    await execute(server.data, "delete from setting where name = 'sealed_at_rest'");
    expect(JSON.stringify(await contentOf(server.data))).to.include(secrets[0]?.secret);
    server = await start({ data: server.data });
    rest = new Rest(server.url, server.apiKey);
    const content = JSON.stringify(await contentOf(server.data));
    for (const { secret } of secrets) expect(content).not.to.include(secret);
    expect(content).not.to.include("PRIVATE KEY");
    await expectReadable(rest, secrets);
    await created(rest, "/ssh_user_certificates", {
      ssh_certificate_authority_id: authority,
      public_key: sshKey().openssh,
      principals: ["a"],
    });
  });
});

onEveryDatabase("The keys that seal secrets", (start, database) => {
  let folder: string;
  let data: string;
  const servers: ServerProcess[] = [];
  beforeEach("have a new database", async () => {
    folder = mkdtempSync(join(tmpdir(), "tunnelplane-keys-"));
    data = await database.create();
  });
  afterEach("stop the servers", async () => {
    for (const server of servers.splice(0)) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const serve = async (options: { env?: Record<string, string | undefined>; args?: string[] } = {}) => {
    const server = await start({ data, ...options });
    servers.push(server);
    return { server, rest: new Rest(server.url, server.apiKey) };
  };
  const keysIn = async () => (await rowsIn(data, "select id, master_id from sealing_key")) as { id: string; master_id: string }[];
  const sealedUnder = async () => new Set([...JSON.stringify(await contentOf(data)).matchAll(/sealed:([\w-]+)\./g)].map(([, id]) => id));
  const refusedToStart = async (options: Parameters<typeof serve>[0]) => {
    const { message } = await serve(options).then(
      () => expect.fail("The server started"),
      (error: Error) => error,
    );
    return message;
  };
  /** Without the master key that tests give to servers on PostgreSQL: as with a folder, a file has it. */
  const byFile = (file: string) => ({ env: { TUNNELPLANE_MASTER_KEY: undefined }, args: ["--master-key-file", file] });

  const runWithoutKey = (...args: string[]) => endOf(command(data, args, { TUNNELPLANE_MASTER_KEY: undefined }));

  for (const count of database.name === "SQLite" ? [1] : [1, 2]) {
    it(`are rotated while ${count === 1 ? "a server serves" : "two servers serve"}, and no request fails`, async () => {
      const running = [];
      for (let index = 0; index < count; index++) running.push(await serve());
      const rests = running.map(({ rest }) => rest);
      const rest = rests[0] as Rest;
      const secrets = await secretsOf(rest);
      const authority = (await created(rest, "/ssh_certificate_authorities", {})).id;
      const old = (await keysIn()).map(({ id }) => id);
      let working = true;
      let requests = 0;
      const written: { id: string; secret: string }[] = [];
      const reader = async (index: number) => {
        while (working) {
          await expectReadable(rests[index % count] as Rest, secrets);
          requests += secrets.length;
        }
      };
      const writer = async (index: number) => {
        const mine = rests[index % count] as Rest;
        while (working) {
          const secret = canary();
          const { id } = await created(mine, "/event_destinations", monitoring(canary()), { "idempotency-key": unique() });
          const patched = await mine.patch(`/event_destinations/${id}`, monitoring(secret));
          expect(patched.status, patched.text).to.equal(200);
          written.push({ id, secret });
          requests += 2;
        }
      };
      const load = Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? reader(index >> 1) : writer(index >> 1))));
      try {
        for (let turn = 0; turn < 3; turn++) {
          const { code, out, err } = await run(data, "keys", "rotate");
          expect(code, err).to.equal(0);
          expect(out).to.match(/^Sealed \d+ rows under a new data key/);
          const keys = await keysIn();
          expect(keys).to.have.length(1);
          expect(old).not.to.include(keys[0]?.id);
          old.push(keys[0]?.id as string);
        }
      } finally {
        working = false;
      }
      await load;
      expect(requests).to.be.greaterThan(0);
      expect([...(await sealedUnder())]).to.deep.equal([old.at(-1)]);
      for (const { server } of running) await server.stop();
      const { rest: later } = await serve();
      await expectReadable(later, secrets);
      for (const { id, secret } of written) {
        expect((await later.get(`/event_destinations/${id}`)).body.target.monitoring_service.api_key).to.equal(secret);
      }
      await created(later, "/ssh_user_certificates", {
        ssh_certificate_authority_id: authority,
        public_key: sshKey().openssh,
        principals: ["a"],
      });
    });
  }

  it("that are rotated by several at once lose no secret", async () => {
    const { server, rest } = await serve();
    const secrets = await secretsOf(rest);
    for (let index = 0; index < 150; index++) await created(rest, "/event_destinations", monitoring(canary()));
    const rotations = await Promise.all(Array.from({ length: 4 }, () => run(data, "keys", "rotate")));
    expect(rotations.some(({ code }) => code === 0)).to.equal(true);
    for (const { code, err } of rotations.filter((ended) => ended.code !== 0)) {
      expect(code).to.equal(1);
      expect(err).to.include("rotated meanwhile");
    }
    await server.stop();
    const { rest: later } = await serve();
    await expectReadable(later, secrets);
    expect((await later.get("/event_destinations?limit=100")).status).to.equal(200);
    expect(await sealedUnder()).to.have.property("size", 1);
  });

  it("may be kept under two master keys, and after a rotation with the new one the old one is refused", async () => {
    const [old, next] = [join(folder, "old.key"), join(folder, "next.key")];
    const first = await serve(byFile(old));
    const secrets = await secretsOf(first.rest);
    expect(statSync(old).mode & 0o777).to.equal(0o600);
    const key = readFileSync(old, "utf8").trim();
    const added = await runWithoutKey("keys", "add-master-key", next, "--master-key-file", old);
    expect(added.code, added.err).to.equal(0);
    expect(statSync(next).mode & 0o777).to.equal(0o600);
    await first.server.stop();
    for (const file of [old, next]) {
      const { server, rest } = await serve(byFile(file));
      await expectReadable(rest, secrets);
      await server.stop();
    }
    const rotated = await runWithoutKey("keys", "rotate", "--master-key-file", next);
    expect(rotated.code, rotated.err).to.equal(0);
    expect(await keysIn()).to.have.length(1);
    const message = await refusedToStart(byFile(old));
    expect(message).to.include("another master key").and.to.include("--master-key-file");
    expect(message).not.to.include(key);
    await expectReadable((await serve(byFile(next))).rest, secrets);
  });

  it("are not replaced when the master key is missing: the server refuses to start", async () => {
    const file = join(folder, "master.key");
    const { server, rest } = await serve(byFile(file));
    await secretsOf(rest);
    await server.stop();
    const before = await contentOf(data);
    const key = readFileSync(file, "utf8");
    rmSync(file);
    expect(await refusedToStart(byFile(file)))
      .to.include("there is none here")
      .and.to.include("TUNNELPLANE_MASTER_KEY");
    expect(existsSync(file)).to.equal(false);
    expect(await contentOf(data)).to.deep.equal(before);
    writeFileSync(file, key, { mode: 0o644 });
    expect(await refusedToStart(byFile(file))).to.include("chmod 600");
    rmSync(file);
    for (const wrong of ["short", "", "x".repeat(64)]) {
      writeFileSync(file, wrong, { mode: 0o600 });
      const message = await refusedToStart(byFile(file));
      expect(message).to.include("openssl rand -base64 32");
      if (wrong) expect(message).not.to.include(wrong);
    }
    rmSync(file);
    writeFileSync(file, key, { mode: 0o600 });
    await serve(byFile(file));
    await serve({ env: { TUNNELPLANE_MASTER_KEY: Buffer.from(key, "base64").toString("hex") } });
  });
});
