import { expect } from "chai";
import { expectRefused, notFound, serverOfThisFile, unknownId } from "../../support/api/expect";
import { sshKey } from "../../support/api/fixtures";
import { onEveryDatabase } from "../../support/databases";
import { Rest, type RestAnswer } from "../../support/rest";

const forbidden = { status: 403, code: "TP_1200" };

/** The types whose objects only their owner sees: path, id prefix, list key, and a body for a creation. */
const OWNED = [
  { path: "/credentials", prefix: "cr", listKey: "credentials", body: () => ({}) },
  {
    path: "/ssh_credentials",
    prefix: "sshcr",
    listKey: "ssh_credentials",
    body: () => ({ public_key: sshKey().openssh }),
  },
  { path: "/api_keys", prefix: "ak", listKey: "keys", body: () => ({}) },
] as const;

onEveryDatabase("A member that attacks objects of others", (start) => {
  const server = serverOfThisFile(start);

  async function member() {
    const bot = await server.created("/bot_users", { name: "ci" });
    const key = await server.created("/api_keys", { owner_id: bot.id });
    return { bot, rest: new Rest(server.url, key.token) };
  }

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
        if (!sent || "description" in sent) expectRefused(real, notFound);
      }
      expectRefused(await rest.delete(`${path}/${id}?dry_run=true`), notFound);
      for (const query of ["", "?limit=1", `?before_id=${id}~`])
        expect((await rest.get(path + query)).text).not.to.include(id);
      expect((await server.read(uri)).description).to.equal("");
      expect(
        (await server.read(`${path}?limit=100`))[listKey].map((one: { id: string }) => one.id),
      ).to.include(id);
    });

    it(`cannot name another owner for its ${path}`, async () => {
      const [{ rest }, other] = [await member(), await member()];
      for (const owner_id of [other.bot.id, (await server.read("/caller")).owner_id, unknownId("bot")])
        expectRefused(await rest.post(path, { ...body(), owner_id }), { ...forbidden, field: "owner_id" });
    });
  }

  it("does not learn whose credential holds a key that is registered already", async () => {
    const [{ rest }, other] = [await member(), await member()];
    const public_key = sshKey().openssh;
    const { id } = (await other.rest.post("/ssh_credentials", { public_key })).body;
    const refused = await rest.post("/ssh_credentials", { public_key });
    expectRefused(refused, { status: 409, code: "TP_1501", field: "public_key" });
    expect(refused.text).not.to.include(id);
    expect((await other.rest.post("/ssh_credentials", { public_key })).body.msg).to.include(id);
    expect((await server.rest.post("/ssh_credentials", { public_key })).body.msg).to.include(id);
  });

  it("sees no event, audit row, destination or subscription, because they would reveal objects of others", async () => {
    const { rest } = await member();
    const target = { monitoring_service: { api_key: "key-of-the-monitoring" } };
    const destination = await server.created("/event_destinations", { target });
    const subscription = { sources: [{ type: "api_key_created.v0" }], destination_ids: [destination.id] };
    const { id } = await server.created("/event_subscriptions", subscription);
    for (const path of [
      ...["/events", "/audit_events", "/bot_users"],
      ...[
        "/event_destinations",
        `/event_destinations/${destination.id}`,
        `/event_destinations/${destination.id}/deliveries`,
      ],
      ...["/event_subscriptions", `/event_subscriptions/${id}`, `/event_subscriptions/${id}/sources`],
    ])
      expectRefused(await rest.get(path), forbidden);
    expectRefused(await rest.post("/event_destinations", { target }), forbidden);
    expectRefused(await rest.post("/event_subscriptions", subscription), forbidden);
    expectRefused(await rest.post(`/event_destinations/${destination.id}/test`), forbidden);
    expectRefused(await rest.patch(`/event_destinations/${destination.id}`, { target }), forbidden);
    expectRefused(await rest.delete(`/event_subscriptions/${id}`), forbidden);
  });
});
