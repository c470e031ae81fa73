import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { backUp } from "../../server/src/maintenance/backup";
import { restore } from "../../server/src/maintenance/restore";
import { MIGRATIONS, migrate } from "../../server/src/storage/migrate";
import { connectTo } from "../../server/src/storage/open";
import { hostport } from "../support/api/expect";
import { runOn } from "../support/commandLine";
import {
  contentOf,
  DATABASES,
  execute,
  onEveryDatabase,
  optionsOf,
  rowsIn,
  settled,
  tablesIn,
} from "../support/databases";
import { newFolder } from "../support/folder";
import { Rest } from "../support/rest";
import { command, run, ServerProcess } from "../support/server";

const ADDRESS = ["--public-url", "https://tunnels.example.com"];

/** A table that no version has, with every column type that a backup supports. */
const extraMigration = (data: string) => ({
  ...MIGRATIONS,
  "999_extra": {
    // biome-ignore lint/suspicious/noExplicitAny: Kysely's, whatever the tables
    up: (db: any) =>
      db.schema
        .createTable("a_table_of_later")
        .addColumn("id", "text", (column: { primaryKey(): unknown }) => column.primaryKey())
        .addColumn("number", "bigint")
        .addColumn("bytes", data.startsWith("postgres:") ? "bytea" : "blob")
        .addColumn("resource_id", "text", (column: { references(target: string): unknown }) =>
          column.references("resource.id"),
        )
        .execute(),
  },
});

onEveryDatabase("A backup", (start, database) => {
  let folder: string;
  let file: string;
  let server: ServerProcess;
  let rest: Rest;
  let token: string;
  before("start a server and fill it", async () => {
    folder = newFolder();
    file = join(folder, "backup.gz");
    server = await start({ data: await database.create(), args: ADDRESS });
    rest = server.rest;
    token = (
      await rest.created("/credentials", { description: 'ends\u2028no line, "quotes", \\, ä, 🚇, \u0000' })
    ).token;
    const backend = await rest.created("/backends/tunnel_group", { labels: { app: "shop" } });
    for (let index = 0; index < 20; index++)
      await rest.created("/edges/tls", { hostports: [hostport()], backend: { backend_id: backend.id } });
    await rest.created("/ssh_certificate_authorities", {});
    const policy = await rest.created("/ip_policies", {});
    await rest.created("/ip_policy_rules", { ip_policy_id: policy.id, cidr: "10.0.0.0/8", action: "allow" });
    // Both logs have all rows then, so that a later backup has no others.
    await settled(server.data);
    const { code, err } = await run(server.data, "backup", file);
    expect(code, err).to.equal(0);
  });

  for (const target of DATABASES) {
    it(`restores into a new ${target.name} database, from which a server answers the same`, async () => {
      const data = await target.create();
      const { code, err } = await run(data, "restore", file);
      expect(code, err).to.equal(0);
      expect(await contentOf(data)).to.deep.equal(await contentOf(server.data));
      const second = await ServerProcess.start({ data, args: ADDRESS });
      const other = new Rest(second.url, server.apiKey);
      for (const path of [
        ...["/credentials", "/edges/tls", "/backends/tunnel_group", "/ip_policies", "/ip_policy_rules"],
        ...["/api_keys", "/caller"],
      ]) {
        expect((await other.get(path)).text).to.equal((await rest.get(path)).text);
      }
      const edge =
        (await rest.get("/edges/tls")).body.edges?.[0] ?? (await rest.get("/edges/tls")).body.tls_edges[0];
      const taken = await other.post("/edges/tls", { hostports: edge.hostports });
      expect(taken.status).to.equal(409);
    });

    it(`of an older version restores into ${target.name} and is migrated to this version`, async () => {
      const data = await target.create();
      const migrations = extraMigration(data);
      await restore(optionsOf(data), file, migrations);
      expect(await tablesIn(data)).to.include("a_table_of_later");
      expect(await contentOf(data)).to.deep.equal({
        ...(await contentOf(server.data)),
        a_table_of_later: [],
      });
    });

    it(`restores tables of later versions, 64-bit integers, bytes and nulls, into ${target.name}`, async () => {
      const [source, data] = [await database.create(), await target.create()];
      const db = connectTo(optionsOf(source));
      await migrate(db, { migrations: extraMigration(source) });
      await db.destroy();
      const bytes = source.startsWith("postgres:") ? "'\\x00ff10'" : "x'00ff10'";
      await execute(
        source,
        `insert into resource (id, kind, owner_id, version, document) values ('r', 'k', 'o', 1, '{}');
         insert into a_table_of_later values ('a', 9223372036854775807, ${bytes}, 'r'), ('b', -9223372036854775808, null, null), ('c', null, null, null)`,
      );
      const later = join(folder, `later-${target.name}.gz`);
      await backUp(optionsOf(source), later, "9.9.9");
      const refused = await runOn(await target.create(), "restore", later);
      expect(refused.code).to.equal(1);
      expect(refused.err)
        .to.contain("has schema 999_extra")
        .and.to.contain("use that version or a later one");
      await restore(optionsOf(data), later, extraMigration(data));
      const rows = await rowsIn(
        data,
        "select id, cast(number as text) as number, resource_id from a_table_of_later order by id",
      );
      expect(rows.map((row) => ({ ...(row as object) }))).to.deep.equal([
        { id: "a", number: "9223372036854775807", resource_id: "r" },
        { id: "b", number: "-9223372036854775808", resource_id: null },
        { id: "c", number: null, resource_id: null },
      ]);
      const [first, second] = (await rowsIn(data, "select bytes from a_table_of_later order by id")) as {
        bytes: Uint8Array | null;
      }[];
      expect(Buffer.from(first?.bytes ?? []).toString("hex")).to.equal("00ff10");
      expect(second?.bytes).to.equal(null);
    });
  }

  it("can be read by its owner only, and contains no key or authtoken", async () => {
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const text = gunzipSync(readFileSync(file)).toString();
    expect(text).not.to.contain(server.apiKey).and.not.to.contain(token);
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).to.deep.equal([]);
  });

  it("goes to standard output on demand", async () => {
    const { code, out, err } = await run(server.data, "backup", "-");
    expect(code, err).to.equal(0);
    const withoutTime = (bytes: Buffer) => gunzipSync(bytes).toString().split("\n").slice(1, -2);
    expect(withoutTime(Buffer.from(out, "latin1"))).to.have.members(withoutTime(readFileSync(file)));
    expect(err).to.contain("The master key that opens these is not in it");
  });

  it("that is cut off or altered is refused, and nothing is written", async () => {
    const bytes = readFileSync(file);
    const lines = gunzipSync(bytes).toString().split("\n").slice(0, -1);
    const packed = (altered: readonly string[]) => gzipSync(`${altered.join("\n")}\n`);
    const row = lines.findIndex((line) => line.includes('"ip_policy"'));
    const damages: Record<string, Buffer> = {
      "half of it": bytes.subarray(0, bytes.length / 2),
      "all but one byte": bytes.subarray(0, -1),
      "no trailer": packed(lines.slice(0, -1)),
      "only the header": packed(lines.slice(0, 1)),
      "a row too few": packed(lines.toSpliced(row, 1)),
      "a row twice": packed(lines.toSpliced(row, 0, lines[row] as string)),
      "another value": packed(lines.with(row, (lines[row] as string).replace("ip_policy", "ip_pelicy"))),
      "something after its end": packed([...lines, "[]"]),
      "another end": packed(lines.with(-1, '{"rows":{},"sha256":""}')),
    };
    for (const [name, damaged] of Object.entries(damages)) {
      const path = join(folder, "damaged.gz");
      writeFileSync(path, damaged);
      const data = await database.create();
      const { code, err } = await runOn(data, "restore", path);
      expect(code, name).to.equal(1);
      expect(err, name).to.contain(`${path} is damaged`);
      expect(await tablesIn(data), name).to.deep.equal([]);
    }
  });

  it("that is no backup at all is refused in one line", async () => {
    const path = join(folder, "none");
    for (const content of ["text", "", gzipSync("text\n"), gzipSync('{"format":"another"}\n')]) {
      writeFileSync(path, content);
      const { code, err } = await runOn(await database.create(), "restore", path);
      expect(code).to.equal(1);
      expect(err)
        .to.match(/is not a backup of tunnelplane|is damaged/)
        .and.not.to.match(/\n\s+at /);
    }
    expect((await runOn(await database.create(), "restore", join(folder, "nowhere"))).err).to.contain(
      "no such file",
    );
  });

  it("restores into an empty database only; in another, one sentence says so, and what is there stays", async () => {
    const before = await contentOf(server.data);
    const { code, err } = await runOn(server.data, "restore", file);
    expect(code).to.equal(1);
    expect(err).to.match(
      /^tunnelplane: .* is not empty \(\d+ tables, \d+ rows\) and was left as it is: restore into a new folder or database\n$/,
    );
    expect(await contentOf(server.data)).to.deep.equal(before);
  });

  it("that fails leaves no file, and ends with 1", async () => {
    const nowhere = join(folder, "no", "such", "folder.gz");
    expect(await runOn(server.data, "backup", nowhere)).to.include({ code: 1 });
    expect(existsSync(nowhere)).to.equal(false);
  });

  it("is a consistent snapshot, while servers go on writing", async () => {
    // The first table gets more rows than fit into the pipe, so that the backup stops half-way.
    const fill = (index: number) =>
      `('filler${index}', '${Array.from({ length: 60 }, () => Math.random().toString(36)).join("")}', 'member', '')`;
    await execute(
      server.data,
      `insert into principal (id, name, role, created_at) values ${Array.from({ length: 5000 }, (_, index) => fill(index)).join(",")}`,
    );
    const before = await contentOf(server.data);
    const child = command(server.data, ["backup", "-"]);
    await once(child.stdout, "readable"); // it has begun to read, and waits until we read its output
    const { body } = await rest.post("/edges/tls", { hostports: [hostport()] });
    expect((await rest.delete(`/edges/tls/${body.id}`)).status).to.equal(204);
    expect((await rest.post("/edges/tls", { hostports: [hostport()] })).status).to.equal(201);
    const [policy] = (await rest.get("/ip_policies")).body.ip_policies;
    expect((await rest.delete(`/ip_policies/${policy.id}`)).status).to.equal(204);
    const path = join(folder, "moment.gz");
    writeFileSync(path, await buffer(child.stdout), { mode: 0o600 });
    const data = await database.create();
    expect(await runOn(data, "restore", path)).to.include({ code: 0 });
    expect(await contentOf(data)).to.deep.equal(before);
    expect(await contentOf(server.data)).not.to.deep.equal(before);
  });
});
