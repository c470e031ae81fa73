import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runOn } from "../support/commandLine";
import { execute, onEveryDatabase, untilTestEnds } from "../support/databases";
import { newFolder } from "../support/folder";

const SOON = () => new Date(Date.now() + 60_000).toISOString();

onEveryDatabase("An archive of the audit log", (startServer) => {
  const start = untilTestEnds(startServer);
  const make = async () => {
    const server = await start();
    const created: string[] = [];
    for (const description of ["stays", "goes", "changes"])
      created.push((await server.rest.post("/ip_policies", { description })).body.id as string);
    return { server, created, file: join(newFolder(), "old.jsonl") };
  };
  const verify = (data: string, ...more: string[]) => runOn(data, "audit", "verify", ...more);

  it("takes old rows out of the database and leaves one that names the last; both together are proved", async () => {
    const { server, created, file } = await make();
    const [, goes, changes] = created;
    const head = (await server.rest.get("/audit_head")).body as { sequence: number; hash: string };
    const moved = await runOn(server.data, "audit", "archive", "--before", SOON(), "--out", file);
    expect(moved.err).to.equal("");
    expect(moved.out).to.contain(`up to ${head.sequence}:${head.hash}`);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(lines).to.have.length(head.sequence + 1);
    expect(JSON.parse(lines.at(-1) ?? "")).to.include({ sequence: head.sequence, hash: head.hash });
    const rows = (await server.rest.get("/audit_events")).body.audit_events as {
      action: string;
      changed: string[];
    }[];
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({
      action: "audit_log_archived",
      changed: [`${head.sequence}:${head.hash}`],
    });
    await server.rest.delete(`/ip_policies/${goes}`);
    await server.rest.patch(`/ip_policies/${changes}`, { description: "changed" });
    expect((await verify(server.data)).out)
      .to.contain(`after row ${head.sequence}, where archives end`)
      .and.to.contain("were not compared");
    const whole = await verify(server.data, "--with", file, "--expect", `${head.sequence}:${head.hash}`);
    expect(whole).to.include({ code: 0 });
    expect(whole.out).to.contain("Objects and events match it.").and.not.to.contain("not compared");
    const second = join(newFolder(), "later.jsonl");
    expect(await runOn(server.data, "audit", "archive", "--before", SOON(), "--out", second)).to.include({
      code: 0,
    });
    expect(await verify(server.data, "--with", second, "--with", file)).to.include({ code: 0 });
    expect((await verify(server.data, "--with", second)).err).to.contain("rows 1 to");
  });

  it("that somebody changed, cut off or removed is found, and so is an object that only it is about", async () => {
    const { server, created, file } = await make();
    await runOn(server.data, "audit", "archive", "--before", SOON(), "--out", file);
    await server.stop();
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("ip_policy_created", "ip_policy_updated"));
    expect((await verify(server.data, "--with", file)).err).to.contain("was changed");
    writeFileSync(file, text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
    expect((await verify(server.data, "--with", file)).err).to.contain("a file is missing");
    writeFileSync(file, text);
    expect(await verify(server.data, "--with", file)).to.include({ code: 0 });
    await execute(
      server.data,
      `update resource set document = replace(document, 'stays', 'other') where id = '${created[0]}'`,
    );
    expect((await verify(server.data, "--with", file)).err).to.contain(
      `the object ${created[0]} was changed`,
    );
  });

  it("is not written where nothing is old enough, nor over a file, and the log goes on as append-only", async () => {
    const { server, file } = await make();
    const none = await runOn(server.data, "audit", "archive", "--before", "2020-01-01", "--out", file);
    expect(none.out).to.contain("Nothing was written");
    expect(existsSync(file)).to.equal(false);
    writeFileSync(file, "mine");
    const over = await runOn(server.data, "audit", "archive", "--before", SOON(), "--out", file);
    expect(over.err).to.contain("exists; name another file");
    expect(readFileSync(file, "utf8")).to.equal("mine");
    const refused = await execute(server.data, "delete from audit_event").then(String, String);
    expect(refused).to.contain("append-only");
  });
});
