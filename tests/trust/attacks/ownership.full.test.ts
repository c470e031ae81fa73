import { apiOnEveryDatabase, notFound, unknownId } from "../../support/api/expect";
import { sshKey } from "../../support/api/fixtures";
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

apiOnEveryDatabase("A member that attacks objects of others", (server) => {
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
});
