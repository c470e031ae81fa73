import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { readSecret } from "../../server/src/secrets/tokens";
import { openContext } from "../../server/src/start";
import { hostport, unique } from "../support/api/expect";
import { serverCertificate, sshKey } from "../support/api/fixtures";
import { contentOf, execute, onEveryDatabase, rowsIn } from "../support/databases";
import { newFolder } from "../support/folder";
import { refusedBeside } from "../support/refusal";
import type { Rest, RestAnswer } from "../support/rest";
import { MASTER_KEY, run, type ServerProcess } from "../support/server";
import { canary, expectReadable, inCloud, monitoring, oidc, secretsOf } from "./canaries";

const internal = { status: 500, code: "TP_1800" };
const isUrl = (data: string) => data.startsWith("postgres:");

/** Everything that a database has written, as bytes if it is a file. */
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
  openContext({
    ...(isUrl(data) ? { data: "", databaseUrl: data } : { data }),
    masterKey: MASTER_KEY,
    databasePool: 1,
  });

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

onEveryDatabase("A secret", (start, database) => {
  let server: ServerProcess;
  let rest: Rest;
  before("start a server", async () => {
    server = await start({ data: await database.create(), args: ["--log-level", "debug"] });
    rest = server.rest;
  });

  it("is answered as specified, and is in clear in no file, backup, log, event or audit row", async () => {
    const first = await secretsOf(rest);
    await expectReadable(rest, first);
    const renewed = canary();
    for (const { write } of first) expect((await write(renewed)).status).to.equal(200);
    const secrets = first.map((one) => ({ ...one, secret: renewed }));
    await expectReadable(rest, secrets);
    const authority = (
      await rest.created("/ssh_certificate_authorities", {}, { "idempotency-key": unique() })
    ).id;
    const pem = await privateKeyOf(server.data, authority);
    const [domain, tls] = [`${unique()}.example.com`, serverCertificate("*.example.com")];
    const { id: certificate_id } = await rest.created("/tls_certificates", tls, {
      "idempotency-key": unique(),
    });
    await rest.created("/reserved_domains", { domain, certificate_id });
    const webhooks = [canary(), canary()];
    const signed = (secret?: string) => ({ provider: "github", ...(secret && { secret }) });
    const site = `/edges/https/${(await rest.created("/edges/https", { hostports: [hostport()] })).id}/routes`;
    const { id: hooked } = await rest.created(site, {
      ...{ match_type: "path_prefix", match: "/" },
      webhook_verification: signed(webhooks[0]),
    });
    for (const secret of [webhooks[1], undefined])
      expect((await rest.put(`${site}/${hooked}/webhook_verification`, signed(secret))).status).to.equal(200);
    const oneTime = [
      (await rest.created("/credentials", {}, { "idempotency-key": unique() })).token,
      (await rest.created("/api_keys", {}, { "idempotency-key": unique() })).token,
    ];
    const kept = await rest.created("/event_destinations", monitoring(canary()), {
      "idempotency-key": unique(),
    });
    const gone = await rest.created("/event_destinations", monitoring(canary()));
    await rest.delete(`/event_destinations/${gone.id}`);
    const all = [
      ...first.map(({ secret }) => secret),
      renewed,
      ...oneTime,
      kept.target.monitoring_service.api_key,
      gone.target.monitoring_service.api_key,
      server.apiKey,
      ...webhooks,
      ...[pem, tls.private_key_pem].flatMap((key) =>
        key.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----")),
      ),
    ];
    const file = join(newFolder(), "backup.gz");
    const backup = await run(server.data, "backup", file);
    expect(backup.code, backup.err).to.equal(0);
    const lists = [
      ...["/credentials", "/api_keys", "/ssh_certificate_authorities"],
      ...["/tls_certificates", "/reserved_domains", site],
    ];
    expectNone(all, {
      database: await storedIn(server.data),
      backup: gunzipSync(readFileSync(file)).toString("latin1"),
      log: server.log,
      "what the server printed": server.printed,
      "what the backup printed": backup.err,
      events: await everyPage(rest, "/events?limit=7"),
      "audit log": await everyPage(rest, "/audit_events?limit=7"),
      metrics: (await rest.get("/metrics")).text,
      "lists of secrets that are shown once or never": (
        await Promise.all(lists.map((path) => everyPage(rest, path)))
      ).join(),
    });
    expect(server.log).to.include('"level":30');
    if (isUrl(server.data)) return;
    await server.stop();
    expectNone(all, { "database at rest": readFileSync(join(server.data, "tunnelplane.db"), "latin1") });
    server = await start({ data: server.data, args: ["--log-level", "debug"] });
    rest = server.rest;
    await expectReadable(rest, secrets);
  });

  it("in a wrong place of a request is repeated in no error and no log", async () => {
    const secret = canary();
    const edge = (await rest.created("/edges/https", { hostports: [hostport()] })).id;
    const match = { match_type: "path_prefix", match: "/" };
    // What is wrong in the fields of secrets themselves: tests/support/api/values.ts.
    const bodies: Readonly<Record<string, readonly unknown[]>> = {
      [`/edges/https/${edge}/routes`]: [
        ...[{ client_secret: secret }, { ...oidc(secret), secret }].map((wrong) => ({
          ...match,
          oidc: wrong,
        })),
        { ...match, client_secret: secret },
        { ...match, oidc: oidc(secret), backend: { backend_id: `bkdtg_${"0".repeat(27)}` } },
      ],
      "/event_destinations": [
        { format: secret, target: { monitoring_service: secret } },
        { target: { ...monitoring(secret).target, ...inCloud("log_service", secret).target } },
        { ...monitoring(secret), description: "d".repeat(256) },
      ],
      "/credentials": [
        { token: secret },
        { description: secret.repeat(20) },
        { metadata: { secret } },
        ...[
          ...[`{"token": "${secret}"`, `"${secret}"`, secret, `{"token": "${secret}"} x`],
          `{"__proto__": "${secret}"}`,
        ],
      ],
      "/api_keys": [{ token: secret }],
      "/ssh_credentials": [{ public_key: sshKey().privateKey.replace(/\n.{20}/, `\n${secret}`) }],
      "/certificate_authorities": [
        { ca_pem: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----` },
      ],
      "/ssh_certificate_authorities": [{ private_key: secret }],
      "/bot_users": [{ name: [secret] }],
    };
    const answers: RestAnswer[] = [];
    const log = await server.logDuring(async () => {
      for (const [path, all] of Object.entries(bodies))
        for (const body of all)
          answers.push(await rest.post(path, body), await rest.post(`${path}?dry_run=true`, body));
      for (const query of ["limit", "before_id", "anything", "api_key"])
        answers.push(await rest.get(`/credentials?${query}=${secret}`));
      for (const query of ["type", "before_id", "token"])
        answers.push(await rest.get(`/events?${query}=${secret}`));
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

  it("that was moved to another object in the database, or changed, is not shown, and the log names its place", async () => {
    const [mine, theirs] = [canary(), canary()];
    const [one, other] = [
      await rest.created("/event_destinations", monitoring(mine)),
      await rest.created("/event_destinations", monitoring(theirs)),
    ];
    const documentOf = async (id: string): Promise<string> =>
      (await rowsIn(server.data, `select document from resource where id = '${id}'`))[0]?.document;
    const store = (document: string) =>
      execute(server.data, `update resource set document = '${document}' where id = '${one.id}'`);
    const sealedIn = (document: string) => /"(sealed:[\w-]+\.[\w-]+)"/.exec(document)?.[1] ?? "";
    const before = await documentOf(one.id);
    const sealed = sealedIn(before);
    const flipped = sealed.slice(0, -10) + (sealed.at(-10) === "A" ? "B" : "A") + sealed.slice(-9);
    const path = `/event_destinations/${one.id}`;
    for (const replacement of [sealedIn(await documentOf(other.id)), flipped, sealed.slice(0, 40)]) {
      await store(before.replace(sealed, replacement));
      const log = await server.logDuring(async () => {
        const { refused, allowed } = await refusedBeside({
          refused: [
            () => rest.get(path),
            () => rest.get("/event_destinations"),
            () => rest.patch(path, { description: "another" }),
          ],
          as: internal,
          allowed: () => rest.get(`/event_destinations/${other.id}`),
        });
        for (const { text } of refused)
          for (const secret of [mine, theirs, sealed]) expect(text).not.to.include(secret);
        expect(allowed.body.target.monitoring_service.api_key).to.equal(theirs);
      });
      expect(log).to.include(`${one.id}/target.monitoring_service.api_key`);
      for (const secret of [mine, theirs]) expect(log).not.to.include(secret);
    }
    await store(before);
    expect((await rest.get(path)).body.target.monitoring_service.api_key).to.equal(mine);
  });

  it("that was copied from one authority to another in the database signs nothing", async () => {
    const [one, other] = [
      (await rest.created("/ssh_certificate_authorities", {})).id,
      (await rest.created("/ssh_certificate_authorities", {})).id,
    ];
    const swap = `update sealed_secret set value = (select value from sealed_secret where resource_id = '${other}') where resource_id = '${one}'`;
    await execute(server.data, swap);
    const sign = (ssh_certificate_authority_id: string) => () =>
      rest.post("/ssh_user_certificates", {
        ...{ ssh_certificate_authority_id, public_key: sshKey().openssh, principals: ["ada"] },
      });
    const log = await server.logDuring(async () => {
      await refusedBeside({ refused: sign(one), as: internal, allowed: sign(other) });
    });
    expect(log).to.include(`${one}/private_key`);
  });
});
