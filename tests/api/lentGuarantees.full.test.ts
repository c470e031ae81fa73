import { PROJECT_HEADER } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { expectRefused, type Json, serverOfThisFile, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { onEveryDatabase } from "../support/databases";

const broken = { status: 409, code: "TP_1504" };

onEveryDatabase("Guarantees beside others", (start) => {
  const server = serverOfThisFile(start);

  it("are all stored where many are made at once, and still contradict one another", async () => {
    const host = `${unique("many")}.example.org:443`;
    const body = (expect: string, n: number) => ({ expect, addresses: [`${host}/${n}/`] });
    const many = Array.from({ length: 32 }, (_, n) => body(n % 2 ? "refused" : "answered", n));
    const made = await Promise.all(many.map((each) => server.rest.post("/guarantees", each)));
    expect(made.map(({ status }) => status)).to.deep.equal(many.map(() => 201));
    const others = many.map(({ expect }, n) => body(expect === "refused" ? "answered" : "refused", n));
    const contradict = (each: Json) =>
      expectRefusedBut(
        () => server.rest.post("/guarantees", each),
        { status: 409, code: "TP_1505" },
        () => server.rest.post("/guarantees", { ...each, mode: "report" }),
      );
    await Promise.all(others.map(contradict));
  });

  it("of other projects refuse a change of a shared policy that would break them, and say no more than that", async () => {
    const made = async (shared: boolean) => {
      const { id, name } = await server.created("/projects", { name: unique("team"), shared });
      const headers = { [PROJECT_HEADER]: name };
      const create = async (path: string, body: Json) => {
        const { status, body: answer, text } = await server.rest.post(path, body, headers);
        expect(status, text).to.equal(201);
        return answer;
      };
      return { id, name, headers, create };
    };
    const [lender, team] = [await made(true), await made(false)];
    const policy = await lender.create("/ip_policies", {});
    const rule = await lender.create("/ip_policy_rules", {
      ip_policy_id: policy.id,
      cidr: "10.0.0.0/8",
      action: "allow",
    });
    const host = `${unique("lent")}.example.org`;
    const backend = await team.create("/backends/tunnel_group", { labels: { app: unique() } });
    await team.create("/edges/tls", {
      hostports: [`${host}:443`],
      backend: { backend_id: backend.id },
      ip_restriction: { ip_policy_ids: [policy.id] },
    });
    const declared = await team.create("/guarantees", {
      expect: "refused",
      addresses: [`${host}:443`],
      except_networks: ["10.0.0.0/8"],
    });
    const change = (cidr: string) =>
      server.rest.patch(`/ip_policy_rules/${rule.id}`, { cidr }, lender.headers);
    const bot = await lender.create("/bot_users", { name: "network" });
    const member = server.rest.as((await lender.create("/api_keys", { owner_id: bot.id })).token);
    const rulePath = `/ip_policy_rules/${rule.id}`;
    for (const query of ["", "?force=true"]) {
      const answer = await expectRefusedBut(
        () => member.patch(rulePath + query, { cidr: "0.0.0.0/1" }),
        { ...broken, mentions: ["A guarantee of another project"] },
        () => member.patch(rulePath + query, { cidr: "10.0.0.0/9" }),
      );
      for (const theirs of [declared.id, host, team.id]) expect(answer.text).not.to.contain(theirs);
    }
    // An admin of the account learns which one, and may set it aside.
    const known = await change("0.0.0.0/1");
    expectRefused(known, { ...broken, mentions: [declared.id, team.name, "force=true"] });
    expect((await change("10.0.0.0/9")).status).to.equal(200);
    const path = `/guarantees/${declared.id}`;
    expect((await server.rest.get(path, team.headers)).body.state).to.equal("holds");
    const forced = await server.rest.patch(`${rulePath}?force=true`, { cidr: "0.0.0.0/1" }, lender.headers);
    expect(forced.status, forced.text).to.equal(200);
    const { audit_events: rows } = await server.read("/audit_events?limit=5");
    const aside = rows.find(({ action }: Json) => action === "guarantee_set_aside");
    expect(aside).to.deep.include({ object_id: declared.id, project: team.name });
  });
});
