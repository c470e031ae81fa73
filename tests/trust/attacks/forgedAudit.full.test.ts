import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Tunnelplane } from "@tunnelplane/sdk";
import { refusalToServe, runOn } from "../../support/commandLine";
import { countIn, execute, onEveryDatabase, settled, tablesIn, untilTestEnds } from "../../support/databases";
import { newFolder } from "../../support/folder";
import { expectFound, expectWhole, headOf, served, unguard } from "./forger";

const EMPTY = "delete from audit_event; delete from audit_head; delete from sealing_key; delete from event";

onEveryDatabase("An attacker who empties the audit log and its keys", (start, database) => {
  let folder: string;
  let original: string;
  before("let a server fill a database", async () => {
    folder = newFolder();
    original = await database.create();
    await served(start, original);
  });

  const expectEachFails = async (data: string, words: RegExp, ...commands: string[][]) => {
    for (const args of commands) {
      const { code, out, err } = await runOn(data, ...args);
      expect(code, `${args} ${out}`).to.equal(1);
      expect(err).to.match(words);
    }
  };
  const [VERIFY, ROTATE] = [
    ["audit", "verify"],
    ["keys", "rotate"],
  ] as const;

  for (const [what, statements] of Object.entries({
    "the log, its end, the keys and the events": EMPTY,
    "the keys": "delete from sealing_key",
    "everything in these tables, and the objects": `${EMPTY}; delete from reference; delete from one_time_secret; delete from resource`,
  })) {
    it(`cannot make a server or command start a new log: ${what}`, async () => {
      const data = await database.copyOf(original);
      await unguard(data);
      await execute(data, statements);
      const words = /The table sealing_key of .* is empty, beside \d+ objects: its keys were removed/;
      const addKey = ["keys", "add-master-key", join(folder, "other.key")];
      await expectEachFails(data, words, [...VERIFY], [...ROTATE], addKey, [
        "backup",
        join(folder, "backup.gz"),
      ]);
      expect(await refusalToServe(data)).to.include("its keys were removed");
      expect(await countIn(data, "sealing_key")).to.equal(0);
      if (statements.includes("audit_head")) expect(await countIn(data, "audit_head")).to.equal(0);
      expect(readdirSync(folder)).to.deep.equal([]);
    });
  }

  it("cannot have a server choose again by removing the choices of the first start, or the key of their digests", async () => {
    for (const [names, words] of [
      ["'uri_placeholder', 'audit_key'", "The row uri_placeholder of the table setting was removed"],
      ["'audit_key'", "The key of the audit log's digests"],
    ] as const) {
      const data = await database.copyOf(original);
      await execute(data, `delete from setting where name in (${names})`);
      await expectFound(data, words);
      expect(await refusalToServe(data)).to.include(words);
    }
  });

  it("cannot use commands on an empty database: they create nothing", async () => {
    const data = await database.create();
    const backup = ["backup", join(folder, "empty.gz")];
    const words = /There is no database in|holds no database of tunnelplane/;
    await expectEachFails(data, words, [...VERIFY], [...ROTATE], backup);
    expect(await tablesIn(data)).to.deep.equal([]);
    if (!data.startsWith("postgres:")) expect(readdirSync(data)).to.deep.equal([]);
    expect(existsSync(join(folder, "empty.gz"))).to.equal(false);
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
    folder = newFolder();
    original = await database.create();
    const server = await start({ data: original });
    const rest = server.rest;
    for (let index = 0; index < 3; index++) await rest.created("/ip_policies", {});
    const before = await headOf(original);
    const { id } = await rest.created("/ip_policies", { description: "to be undone" });
    const { mac: _, ...noted } = await headOf(original);
    head = noted;
    const asked = await rest.get("/audit_head");
    expect(asked.body).to.deep.equal(head);
    answer = asked.text;
    const client = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
    expect(await client.auditLog.head()).to.deep.equal(head);
    await client.close();
    await server.stop();
    log = server.log;
    undo = `delete from audit_event where sequence > ${before.sequence}; delete from event where sequence > ${before.sequence};
      delete from resource where id = '${id}';
      update audit_head set sequence = ${before.sequence}, hash = '${before.hash}', mac = '${before.mac}'`;
  });

  /** A copy is whole with each note of its head; without its last change, with none. */
  const expectShown = async (...notes: [option: string, value: string][]): Promise<string> => {
    const data = await database.copyOf(original);
    for (const note of notes) await expectWhole(data, ...note);
    await unguard(data);
    await execute(data, undo);
    await expectWhole(data);
    for (const note of notes)
      await expectFound(data, `the noted row ${head.sequence} is no longer there`, ...note);
    return data;
  };

  it("in a backup shows that the tail was cut off and an old head put back, also where another history followed", async () => {
    const file = join(folder, "backup.gz");
    const { code, err } = await runOn(original, "backup", file);
    expect(code, err).to.equal(0);
    expect(err).to.include(`${head.sequence}:${head.hash}`);
    const [header = ""] = gunzipSync(readFileSync(file)).toString().split("\n");
    expect(JSON.parse(header).audit_head).to.deep.equal(head);
    const data = await expectShown(["--backup", file]);
    const server = await serve({ data });
    await server.rest.created("/ip_policies", { description: "another history" });
    await settled(data);
    await expectFound(data, `row ${head.sequence} is not the one that was noted`, "--backup", file);
  });

  it("in the server's log, written at start and stop, and in a note of the operator shows the same", async () => {
    const { sequence, hash } = head;
    const file = join(folder, "server.log");
    writeFileSync(file, log.replaceAll(/^/gm, "Jan 01 00:00:00 host tunnelplane: "));
    expect(log.match(/"audit_head":\{/g)).to.have.length(2);
    expect(log)
      .to.include(`"audit_head":{"sequence":1,`)
      .and.to.include(`"audit_head":{"sequence":${sequence},"hash":"${hash}"}`);
    const printed = `${sequence}:${hash}`;
    const data = await expectShown(["--log", file], ["--expect", printed], ["--expect", answer]);
    writeFileSync(file, "nothing\n");
    await expectFound(data, "has no line about the end of an audit log", "--log", file);
    const wrong = await runOn(data, "audit", "verify", "--expect", "13");
    expect([wrong.code, wrong.err.includes("as an earlier run printed it")]).to.deep.equal([2, true]);
    const { out } = await runOn(data, "audit", "verify", "--help");
    for (const option of ["--expect", "--backup", "--log", "GET /audit_head"])
      expect(out.replaceAll(/\s+/g, " ")).to.include(option);
  });
});
