import { fieldsWhere, marksOf, registry, targetsOf } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { expectRefused, notFound, serverOfThisFile, unknownId } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";

const forbidden = { status: 403, code: "TP_1200" };

onOneDatabase("A member", (start) => {
  const server = serverOfThisFile(start);
  let bot: { id: string };
  let member: Rest;
  let other: { bot: { id: string }; key: { id: string } };

  before("make two members", async () => {
    const make = async () => {
      const made = await server.created("/bot_users", { name: "ci" });
      return { bot: made, key: await server.created("/api_keys", { owner_id: made.id }) };
    };
    const own = await make();
    other = await make();
    bot = own.bot;
    member = new Rest(server.url, own.key.token);
  });

  /** Two answers that nobody can tell apart but by the id that the caller sent. */
  const expectAlike = (one: RestAnswer, two: RestAnswer, ids: [string, string]): void => {
    const distinguishable = (answer: RestAnswer, id: string) => ({
      ...answer.body,
      msg: answer.body.msg.replaceAll(id, "<id>"),
      details: answer.body.details.field,
    });
    expect(one.status).to.equal(two.status);
    expect(distinguishable(one, ids[0])).to.deep.equal(distinguishable(two, ids[1]));
  };

  for (const method of ["GET", "HEAD", "PATCH", "DELETE"]) {
    it(`gets the same answer to ${method} for an API key of another as for one that does not exist`, async () => {
      const ids: [string, string] = [other.key.id, unknownId("ak")];
      const body = method === "PATCH" ? { description: "mine" } : undefined;
      const [real, none] = [
        await member.request(method, `/api_keys/${ids[0]}`, body),
        await member.request(method, `/api_keys/${ids[1]}`, body),
      ];
      expect(real.status).to.equal(404);
      if (method === "HEAD") return expect(none.status).to.equal(404);
      expectRefused(real, notFound);
      expectAlike(real, none, ids);
      expect((await server.read(`/api_keys/${ids[0]}`)).description).to.equal("");
    });
  }

  it("cannot tell the two apart by an ETag or a body", async () => {
    const path = `/api_keys/${other.key.id}`;
    expectRefused(await member.delete(path, { "if-match": '"1"' }), notFound);
    expectRefused(await member.patch(path, { description: "x" }, { "if-match": '"9"' }), notFound);
  });

  it("sees objects of others in no list and on no page", async () => {
    const { keys } = (await member.get(`/api_keys?before_id=${other.key.id}~&limit=100`)).body;
    expect(keys.map(({ owner_id }: { owner_id: string }) => owner_id)).not.to.include(other.bot.id);
  });

  it("cannot find out whether a bot exists by naming it as owner: the error is the same", async () => {
    const ids: [string, string] = [other.bot.id, unknownId("bot")];
    for (const [path, body] of [
      ["/api_keys", {}],
      ["/credentials", {}],
      ["/ssh_credentials", { public_key: sshKey().openssh }],
    ] as const) {
      const [real, none] = [
        await member.post(path, { ...body, owner_id: ids[0] }),
        await member.post(path, { ...body, owner_id: ids[1] }),
      ];
      expectRefused(real, { ...forbidden, field: "owner_id" });
      expectAlike(real, none, ids);
    }
    expect((await member.post("/api_keys", { owner_id: bot.id })).status).to.equal(201);
  });

  it("cannot find out whether a bot exists by its path: the error is the same", async () => {
    const ids: [string, string] = [other.bot.id, unknownId("bot")];
    for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      const [real, none] = [
        await member.request(method, `/bot_users/${ids[0]}`, body),
        await member.request(method, `/bot_users/${ids[1]}`, body),
      ];
      expectRefused(real, forbidden);
      expectAlike(real, none, ids);
    }
  });

  it("cannot use an authtoken as an API key", async () => {
    const { token } = await server.created("/credentials", {});
    expectRefused(await new Rest(server.url, token).get("/credentials"), { status: 401, code: "TP_1101" });
  });
});

describe("The contract", () => {
  it("has no reference to objects that some may not see, except owner_id and project_id, which have checks of their own", () => {
    // A reference to such an object would show a member that it exists. To add one, hide it in
    // resolveReferences first.
    const revealing = registry.flatMap((definition) =>
      fieldsWhere(definition, (marks) => marks.reference)
        .filter((field) =>
          targetsOf(marksOf(definition.fields[field] as never).reference?.to ?? []).some(
            ({ access }) => access !== "everyone" && access !== definition.access,
          ),
        )
        .map((field) => `${definition.kind}.${field}`),
    );
    expect(revealing.filter((field) => !/\.(owner|project)_id$/.test(field))).to.deep.equal([]);
    const owned = registry.filter(({ access }) => access === "owner").map(({ kind }) => kind);
    expect(owned).to.have.members(["api_key", "tunnel_credential", "ssh_credential"]);
  });
});
