import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Tunnelplane } from "@tunnelplane/sdk";
import { expect } from "chai";
import { expectRefused } from "../../support/api/expect";
import { refusalToServe, runOn } from "../../support/commandLine";
import { execute, onEveryDatabase, settled, tablesIn, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";
import { created } from "../canaries";
import { countIn, expectFound, expectWhole, headOf, served, unguard } from "./forger";
import { makeOld } from "./oldDatabase";

const forbidden = { status: 403, code: "TP_1200" };
const EMPTY = "delete from audit_event; delete from audit_head; delete from sealing_key; delete from event";

onEveryDatabase("An attacker who empties the audit log and its keys", (start, database) => {
  let folder: string;
  let original: string;
  before("let a server fill a database", async () => {
    folder = mkdtempSync(join(tmpdir(), "tunnelplane-forged-"));
    original = await database.create();
    await served(start, original);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [what, statements] of Object.entries({
    "the log, its end, the keys and the events": EMPTY,
    "the keys": "delete from sealing_key",
    "everything in these tables, and the objects": `${EMPTY}; delete from reference; delete from told_secret; delete from resource`,
  })) {
    it(`cannot make a server or command start a new log: ${what}`, async () => {
      const data = await database.copyOf(original);
      await unguard(data);
      await execute(data, statements);
      const file = join(folder, `${database.name}.gz`);
      for (const args of [
        ["audit", "verify"],
        ["keys", "rotate"],
        ["keys", "add-master-key", join(folder, "other.key")],
        ["backup", file],
      ]) {
        const { code, out, err } = await runOn(data, ...args);
        expect(code, `${args} ${out}`).to.equal(1);
        expect(err).to.match(
          /The table sealing_key of .* is empty, beside \d+ objects: its keys were removed/,
        );
      }
      expect(await refusalToServe(data)).to.include("its keys were removed");
      expect(await countIn(data, "sealing_key")).to.equal(0);
      if (statements.includes("audit_head")) expect(await countIn(data, "audit_head")).to.equal(0);
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  }

  it("cannot do so either by removing the choices of the first start", async () => {
    const data = await database.copyOf(original);
    await execute(data, "delete from setting where name in ('uri_placeholder', 'audit_key')");
    await expectFound(data, "The row uri_placeholder of the table setting was removed");
    expect(await refusalToServe(data)).to.include("The row uri_placeholder of the table setting was removed");
  });

  it("cannot have contents recorded again by removing the key of their digests", async () => {
    const data = await database.copyOf(original);
    await execute(data, "delete from setting where name = 'audit_key'");
    await expectFound(data, "The key of the audit log's digests");
    expect(await refusalToServe(data)).to.include("The key of the audit log's digests");
    expect(await countIn(data, "baseline")).to.equal(0);
  });

  it("cannot use commands on an empty database: they create and upgrade nothing", async () => {
    const data = await database.create();
    for (const args of [
      ["audit", "verify"],
      ["keys", "rotate"],
      ["backup", join(folder, "empty.gz")],
    ]) {
      const { code, err } = await runOn(data, ...args);
      expect(code).to.equal(1);
      expect(err).to.match(/There is no database in|holds no database of tunnelplane/);
    }
    expect(await tablesIn(data)).to.deep.equal([]);
    if (!data.startsWith("postgres:")) expect(readdirSync(data)).to.deep.equal([]);
    expect(existsSync(join(folder, "empty.gz"))).to.equal(false);
    const older = await database.copyOf(original);
    await makeOld(older);
    for (const args of [
      ["audit", "verify"],
      ["keys", "rotate"],
    ]) {
      const { code, err } = await runOn(older, ...args);
      expect(code).to.equal(1);
      expect(err).to.include("has schema 004_deliveries").and.to.include("tunnelplane serve");
    }
    expect(await tablesIn(older)).not.to.include("baseline");
  });
});

onEveryDatabase("The head of the audit log", (start, database) => {
  const serve = untilTestEnds(start);
  let folder: string;
  /** A database whose last change an attacker undoes in copies. */
  let original: string;
  let undo: string;
  let answer: string;
  let log: string;
  let head: { readonly sequence: number; readonly hash: string };
  before("let a server fill a database, and stop it", async () => {
    folder = mkdtempSync(join(tmpdir(), "tunnelplane-forged-"));
    original = await database.create();
    const server = await start({ data: original });
    const rest = new Rest(server.url, server.apiKey);
    for (let index = 0; index < 3; index++) await created(rest, "/ip_policies", {});
    const before = await headOf(original);
    const { id } = await created(rest, "/ip_policies", { description: "to be undone" });
    const { sequence, hash } = await headOf(original);
    head = { sequence, hash };
    answer = (await rest.get("/audit_head")).text;
    await server.stop();
    log = server.log;
    undo = `delete from audit_event where sequence > ${before.sequence}; delete from event where sequence > ${before.sequence};
      delete from resource where id = '${id}';
      update audit_head set sequence = ${before.sequence}, hash = '${before.hash}', mac = '${before.mac}'`;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is available to admins, also through the client, and to nobody else", async () => {
    const server = await serve({ data: await database.copyOf(original) });
    const rest = new Rest(server.url, server.apiKey);
    const { status, body } = await rest.get("/audit_head");
    expect(status).to.equal(200);
    expect(body).to.deep.equal(head);
    const client = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
    expect(await client.auditLog.head()).to.deep.equal(head);
    await client.close();
    const bot = (await created(rest, "/bot_users", { name: "ci" })).id;
    const { token } = await created(rest, "/api_keys", { owner_id: bot });
    expectRefused(await new Rest(server.url, token).get("/audit_head"), forbidden);
    expect((await rest.get("/openapi.json")).body.paths["/audit_head"].get.operationId).to.equal(
      "getAuditHead",
    );
  });

  it("in a backup shows that the tail was cut off and an old head put back", async () => {
    const data = await database.copyOf(original);
    const file = join(folder, "backup.gz");
    const { code, err } = await runOn(data, "backup", file);
    expect(code, err).to.equal(0);
    const { sequence, hash } = head;
    expect(err).to.include(`${sequence}:${hash}`);
    expect(
      JSON.parse(gunzipSync(readFileSync(file)).toString().split("\n")[0] as string).audit_head,
    ).to.deep.equal(head);
    await expectWhole(data, "--backup", file);
    await unguard(data);
    await execute(data, undo);
    await expectWhole(data);
    await expectFound(data, `the noted row ${sequence} is no longer there`, "--backup", file);
    const server = await serve({ data });
    await created(new Rest(server.url, server.apiKey), "/ip_policies", { description: "another history" });
    await settled(data);
    await expectFound(data, `row ${sequence} is not the one that was noted`, "--backup", file);
  });

  it("is read from backups of older versions too, which have it among their rows", async () => {
    const data = await database.copyOf(original);
    const file = join(folder, "older.gz");
    expect(await runOn(data, "backup", file)).to.include({ code: 0 });
    const [header, ...lines] = gunzipSync(readFileSync(file)).toString().split("\n");
    const { audit_head, ...older } = JSON.parse(header as string);
    expect(audit_head).to.be.an("object");
    const text = lines.slice(0, -2);
    const covered = `${[JSON.stringify(older), ...text].join("\n")}\n`;
    const trailer = {
      ...JSON.parse(lines.at(-2) as string),
      sha256: createHash("sha256").update(covered).digest("hex"),
    };
    const old = join(folder, "old.gz");
    writeFileSync(old, gzipSync(`${covered}${JSON.stringify(trailer)}\n`));
    await expectWhole(data, "--backup", old);
    await unguard(data);
    const { sequence } = head;
    await execute(data, `delete from audit_event where sequence = ${sequence}`);
    await expectFound(data, `the noted row ${sequence} is no longer there`, "--backup", old);
  });

  it("in the server's log, written at start and stop, shows the same", async () => {
    const data = await database.copyOf(original);
    const { sequence, hash } = head;
    const file = join(folder, "server.log");
    writeFileSync(file, log.replaceAll(/^/gm, "Jan 01 00:00:00 host tunnelplane: "));
    expect(log.match(/"audit_head":\{/g)).to.have.length(2);
    expect(log)
      .to.include(`"audit_head":{"sequence":1,`)
      .and.to.include(`"audit_head":{"sequence":${sequence},"hash":"${hash}"}`);
    await expectWhole(data, "--log", file);
    await unguard(data);
    await execute(data, undo);
    await expectWhole(data);
    await expectFound(data, `the noted row ${sequence} is no longer there`, "--log", file);
    writeFileSync(file, "nothing\n");
    await expectFound(data, "has no line about the end of an audit log", "--log", file);
  });

  it("in a note of the operator shows the same, in the printed or the answered form", async () => {
    const data = await database.copyOf(original);
    const { sequence, hash } = head;
    for (const noted of [`${sequence}:${hash}`, answer]) await expectWhole(data, "--expect", noted);
    await unguard(data);
    await execute(data, undo);
    for (const noted of [`${sequence}:${hash}`, answer]) {
      await expectFound(data, `the noted row ${sequence} is no longer there`, "--expect", noted);
    }
    const { out } = await runOn(data, "audit", "verify", "--help");
    for (const option of ["--expect", "--backup", "--log", "GET /audit_head"])
      expect(out.replaceAll(/\s+/g, " ")).to.include(option);
  });
});
