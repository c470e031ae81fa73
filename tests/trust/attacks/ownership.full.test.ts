import { expect } from "chai";
import { notFound, serverOfThisFile, unknownId } from "../../support/api/expect";
import { sshKey } from "../../support/api/fixtures";
import { onEveryDatabase } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import type { RestAnswer } from "../../support/rest";

const forbidden = { status: 403, code: "TP_1200" };

/** The types whose objects only their owner sees: path, id prefix, list key, and a body for a creation. */
const OWNED = [
  { path: "/credentials", prefix: "cr", listKey: "credentials", body: () => ({}) },
  {
    ...{ path: "/ssh_credentials", prefix: "sshcr", listKey: "ssh_credentials" },
    body: () => ({ public_key: sshKey().openssh }),
  },
  { path: "/api_keys", prefix: "ak", listKey: "keys", body: () => ({}) },
] as const;

onEveryDatabase("A member that attacks objects of others", (start) => {
  const server = serverOfThisFile(start);
  const member = () => server.member();
  /** The content of an answer, without the parts that differ every time. */
  const toldBy = ({ status, body }: RestAnswer, id: string) => ({
    status,
    body: { ...body, msg: body.msg.replaceAll(id, "<id>"), details: "" },
  });

  for (const { path, prefix, listKey, body } of OWNED) {
    it(`finds and changes none of the ${path} of another`, async () => {
      const [{ rest }, other] = [await member(), await member()];
      const { id, uri } = (await other.rest.post(path, body())).body;
      const none = unknownId(prefix);
      for (const [method, sent, headers] of [
        ["GET"],
        ["PATCH", { description: "mine" }],
        ["PATCH", { owner_id: "usr_mine" }],
        ["PATCH", { description: "mine" }, { "if-match": '"7"' }],
        ["DELETE"],
        ["DELETE", undefined, { "if-match": '"1"' }],
      ] as const) {
        const real = await rest.request(method, `${path}/${id}`, sent, headers);
        expect(toldBy(real, id)).to.deep.equal(
          toldBy(await rest.request(method, `${path}/${none}`, sent, headers), none),
        );
        if (!sent || "description" in sent) expect(real.status).to.equal(404);
      }
      await refusedBeside({
        refused: ["PATCH", "DELETE"].map(
          (method) => () => rest.request(method, `${path}/${id}?dry_run=true`, {}),
        ),
        as: notFound,
        allowed: () => other.rest.patch(`${path}/${id}?dry_run=true`, {}),
      });
      for (const query of ["", "?limit=1", `?before_id=${id}~`])
        expect((await rest.get(path + query)).text).not.to.include(id);
      expect((await server.read(uri)).description).to.equal("");
      expect(
        (await server.read(`${path}?limit=100`))[listKey].map((one: { id: string }) => one.id),
      ).to.include(id);
    });

    it(`cannot name another owner for its ${path}`, async () => {
      const [{ rest, bot }, other] = [await member(), await member()];
      for (const owner_id of [other.bot.id, (await server.read("/caller")).owner_id, unknownId("bot")])
        await refusedBeside({
          refused: () => rest.post(path, { ...body(), owner_id }),
          as: { ...forbidden, field: "owner_id" },
          allowed: () => rest.post(path, { ...body(), owner_id: bot.id }),
        });
    });
  }

  it("does not learn whose credential holds a key that is registered already", async () => {
    const [{ rest }, other] = [await member(), await member()];
    const public_key = sshKey().openssh;
    const { id } = (await other.rest.post("/ssh_credentials", { public_key })).body;
    const { refused } = await refusedBeside({
      refused: () => rest.post("/ssh_credentials", { public_key }),
      as: { status: 409, code: "TP_1501", field: "public_key" },
      allowed: () => rest.post("/ssh_credentials", { public_key: sshKey().openssh }),
    });
    expect(refused[0]?.text).not.to.include(id);
    expect((await other.rest.post("/ssh_credentials", { public_key })).body.msg).to.include(id);
    expect((await server.rest.post("/ssh_credentials", { public_key })).body.msg).to.include(id);
  });

  it("sees no event, audit row, destination or subscription, because they would reveal objects of others", async () => {
    const { rest } = await member();
    const target = { monitoring_service: { api_key: "key-of-the-monitoring" } };
    const destination = await server.created("/event_destinations", { target });
    const subscription = { sources: [{ type: "api_key_created.v0" }], destination_ids: [destination.id] };
    const { id } = await server.created("/event_subscriptions", subscription);
    const destinations = `/event_destinations/${destination.id}`;
    const attempts: [method: string, path: string, body?: object][] = [
      ...["/events", "/audit_events", "/bot_users", "/event_destinations", destinations],
      ...[`${destinations}/deliveries`, "/event_subscriptions", `/event_subscriptions/${id}`],
      `/event_subscriptions/${id}/sources`,
    ].map((path): [string, string] => ["GET", path]);
    attempts.push(
      ["POST", "/event_destinations", { target }],
      ["POST", "/event_subscriptions", subscription],
      ["PATCH", destinations, { target }],
      ["DELETE", `/event_subscriptions/${id}`],
    );
    for (const [method, path, body] of attempts)
      await refusedBeside({
        refused: () => rest.request(method, path, body),
        as: forbidden,
        allowed: () => server.rest.request(method, method === "GET" ? path : `${path}?dry_run=true`, body),
      });
    const test = await rest.post(`${destinations}/test`);
    expect([test.status, test.body.error_code]).to.deep.equal([forbidden.status, forbidden.code]);
  });
});
