import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { serverOfThisFile, unique, unknownId } from "../../support/api/expect";
import { execute, onEveryDatabase } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { AUDIENCE, exchange, StandInTokenIssuer } from "../../support/tokenIssuer";

onEveryDatabase("An identity token of an issuer that projects share", (start) => {
  let issuer: StandInTokenIssuer;
  before("start an issuer", async () => {
    issuer = await StandInTokenIssuer.start();
  });
  const server = serverOfThisFile(() =>
    start({ args: ["--allow-private-targets", "--public-url", AUDIENCE] }),
  );

  it("that identities of several projects match is refused without an id, unless audience names one or its project", async () => {
    const sub = `repo:acme/${unique("repo")}:ref:refs/heads/main`;
    const token = () => issuer.token({ sub });
    const one = await server.created("/workload_identities", {
      ...{ issuer: issuer.url, audiences: [], claims: { sub } },
      bot_user_id: (await server.created("/bot_users", { name: "ci" })).id,
    });
    expect((await exchange(server.url, token())).status).to.equal(200);
    const project = await server.created("/projects", { name: unique("team") });
    const inside = server.rest.inside(project.name);
    const bot_user_id = (await inside.post("/bot_users", { name: "ci" })).body.id;
    const fields = { issuer: issuer.url, audiences: [AUDIENCE], claims: { sub }, bot_user_id, ttl: 120 };
    const { body: other } = await inside.post("/workload_identities", fields);
    const refused = await exchange(server.url, token());
    expect([refused.status, refused.body.error], refused.text).to.deep.equal([400, "invalid_target"]);
    expect(refused.body.msg).to.contain("name the identity or the project");
    expect(refused.text)
      .not.to.match(/wid_|proj_/)
      .and.not.to.contain(project.name);
    for (const [audience, ttl] of [
      [other.id, 120],
      [project.id, 120],
      [project.name, 120],
      [one.id, 900],
      ["default", 900],
      [DEFAULT_PROJECT.id, 900],
    ]) {
      const { body, text } = await exchange(server.url, token(), { audience: String(audience) });
      expect(body.expires_in, text).to.equal(ttl);
    }
    const claim = (audience: string) => () => exchange(server.url, token(), { audience });
    await refusedBeside({
      refused: ["no-such-team", unknownId("proj"), unknownId("wid")].map(claim),
      as: 401,
      allowed: claim(project.name),
    });
  });

  it("finds room in each project: one holds at most a tenth of all identities, and none takes what is left", async () => {
    const [full, small] = [
      await server.created("/projects", { name: unique("team") }),
      await server.created("/projects", { name: unique("team") }),
    ];
    const bots = new Map<string, string>();
    for (const { id, name } of [full, small])
      bots.set(id, (await server.rest.inside(name).post("/bot_users", { name: "ci" })).body.id);
    const make = ({ id, name }: { id: string; name: string }) =>
      server.rest.inside(name).post("/workload_identities", {
        ...{ issuer: issuer.url, audiences: [], claims: { sub: unique("job") } },
        bot_user_id: bots.get(id),
      });
    const fill = (project: string, count: number) =>
      execute(
        server.data,
        `insert into resource (id, kind, owner_id, version, document, project_id)
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
          select 'filling_${project}_' || i, 'workload_identity', 'nobody', 1, '{}', '${project}' from n`,
      );
    await fill(full.id, 100);
    const beyond = { status: 409, code: "TP_1501", mentions: ["100 workload identities in this project"] };
    await refusedBeside({ refused: () => make(full), as: beyond, allowed: () => make(small) });
    await fill("nowhere", 850);
    expect((await make(small)).status, "in the last tenth").to.equal(201);
    await fill(small.id, 8);
    const tenth = await make(small);
    expect([tenth.status, tenth.body.error_code]).to.deep.equal([beyond.status, beyond.code]);
    expect(tenth.body.msg).to.contain("10 workload identities in this project");
    await execute(server.data, "delete from resource where id like 'filling_%'");
    for (const { name } of [full, small])
      for (const { id } of (await server.rest.inside(name).get("/workload_identities")).body
        .workload_identities)
        await server.rest.inside(name).delete(`/workload_identities/${id}`);
  });
});
