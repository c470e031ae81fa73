import { forgetEndedKeys } from "../../server/src/identities/exchange";
import { connectTo } from "../../server/src/storage/open";
import { declared, SetInTest } from "../changesets/support";
import { expectRefused, invalid, serverOfThisFile, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { execute, onEveryDatabase, optionsOf } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { Rest, type RestAnswer } from "../support/rest";
import { AUDIENCE, EXCHANGE, exchange, JWT_TYPE, StandInTokenIssuer, sendForm } from "../support/tokenIssuer";

const refusedToken = { status: 401, code: "TP_1103" };
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** Checks a refusal, and that it also says what RFC 6749 wants. */
const exchangeRefusal = (refusal: object, error: string) => (answer: RestAnswer) =>
  expectExchangeRefused(answer, refusal, error);

function expectExchangeRefused(answer: RestAnswer, refusal: object, error: string): void {
  const { error: name, error_description: description, ...body } = answer.body;
  expectRefused({ ...answer, body }, refusal as typeof refusedToken);
  expect(name).to.equal(error);
  expect(description).to.match(/^[ !#-[\]-~]+$/); // RFC 6749 section 5.2
}

onEveryDatabase("An identity token", (startServer) => {
  let issuer: StandInTokenIssuer;
  before("start an issuer", async () => {
    issuer = await StandInTokenIssuer.start();
  });

  const server = serverOfThisFile(() =>
    startServer({ args: ["--allow-private-targets", "--public-url", AUDIENCE] }),
  );

  async function identity(more: object = {}) {
    const bot = await server.created("/bot_users", { name: unique("pipeline") });
    const sub = `repo:acme/${unique("repo")}:ref:refs/heads/main`;
    const one = await server.created("/workload_identities", {
      issuer: issuer.url,
      audiences: [],
      claims: { sub },
      bot_user_id: bot.id,
      ...more,
    });
    return { bot, one, sub, token: (claims: object = {}) => issuer.token({ sub, ...claims }) };
  }
  const keyFor = async (token: string): Promise<string> => {
    const answer = await exchange(server.url, token);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.access_token;
  };
  const callerWith = async (key: string) => new Rest(server.url, key).get("/caller");
  const auditRows = async (action: string) =>
    (await server.read("/audit_events")).audit_events.filter(
      (row: { action: string }) => row.action === action,
    );

  it("becomes an API key of the identity's bot, which ends after its ttl", async () => {
    const { bot, token } = await identity({ ttl: 60 });
    const before = Date.now();
    const answer = await exchange(server.url, token());
    expect(answer.body).to.deep.include({
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in: 60,
    });
    const { body } = await callerWith(answer.body.access_token);
    expect(body).to.include({ owner_id: bot.id, role: "member" });
    const left = Date.parse(body.expires_at) - before;
    expect(left).to.be.within(60_000, 60_000 + Date.now() - before);
  });

  it("may be exchanged again, and each key works; none stands in a list", async () => {
    const { token } = await identity();
    const once = token();
    const keys = [await keyFor(once), await keyFor(once)];
    expect(new Set(keys).size).to.equal(2);
    for (const key of keys) {
      const { allowed: caller } = await refusedBeside({
        refused: async () => server.rest.get(`/api_keys/${(await callerWith(key)).body.key_id}`),
        as: { status: 404, code: "TP_1300" },
        allowed: () => callerWith(key),
      });
      const { body } = caller;
      expect(JSON.stringify(await server.read("/api_keys"))).not.to.contain(body.key_id);
      expect(
        new Set((await server.query("select id from exchanged_key")).map((row) => JSON.stringify(row))),
      ).to.include(JSON.stringify({ id: body.key_id }));
    }
  });

  it("is in no answer, no log and no table; the audit log says who exchanged it for which key", async () => {
    const { bot, one, token } = await identity();
    const secret = token();
    const key = await keyFor(secret);
    const { key_id } = (await callerWith(key)).body;
    const [row] = await auditRows("identity_token_exchanged");
    expect(row).to.include({ principal_id: bot.id, key_id, object_id: one.id });
    const signature = secret.split(".")[2] ?? "";
    for (const text of [server.log, JSON.stringify(await server.query("select * from audit_event"))]) {
      expect(text).not.to.contain(signature);
      expect(text).not.to.contain(key);
    }
  });

  it("makes keys that end, together with those made with them, when its identity changes or is deleted, and when its bot is deactivated", async () => {
    for (const end of [
      ({ one }: { one: { id: string } }) => server.rest.patch(`/workload_identities/${one.id}`, { ttl: 70 }),
      ({ one }: { one: { id: string } }) => server.rest.delete(`/workload_identities/${one.id}`),
    ]) {
      const made = await identity();
      const key = await keyFor(made.token());
      const madeWith = async (one: string, ...path: string[]): Promise<string> => {
        const objects = [{ kind: "api_key", key: "a" }];
        const rest = new Rest(server.url, one);
        const answer =
          path.length > 0
            ? rest.post("/changesets", { set: unique("set"), objects })
            : rest.post("/api_keys", {});
        const { body } = await answer;
        return body.token ?? body.operations[0].token;
      };
      const child = await madeWith(key);
      const family = [child, await madeWith(child), await madeWith(key, "in a set")];
      for (const one of [key, ...family]) expect((await callerWith(one)).status).to.equal(200);
      const ended = async () => {
        expect((await end(made)).status).to.be.below(300);
        return callerWith(key);
      };
      const unknown = { status: 401, code: "TP_1101" };
      await refusedBeside({ refused: ended, as: unknown, allowed: () => callerWith(key) });
      const ofFamily = { status: 401, code: "TP_1102", mentions: ["ended with the workload identity"] };
      for (const one of family) expectRefused(await callerWith(one), ofFamily);
    }
    const { bot, token } = await identity();
    const key = await keyFor(token());
    await server.rest.patch(`/bot_users/${bot.id}`, { active: false });
    expectRefused(await callerWith(key), { status: 403, code: "TP_1200" });
    expectExchangeRefused(await exchange(server.url, token()), refusedToken, "invalid_request");
  });

  it("makes keys whose refusal says when they ended, for a day", async () => {
    const { token } = await identity();
    const key = await keyFor(token());
    const { key_id } = (await callerWith(key)).body;
    await execute(
      server.data,
      `update exchanged_key set expires_at = '2026-01-01T00:00:00.000Z' where id = '${key_id}'`,
    );
    await server.rest.post("/workload_identities", {}); // the server forgets what it knows of keys
    expectRefused(await callerWith(key), { status: 401, code: "TP_1102", mentions: ["2026-01-01"] });
    const left = await keyFor(token());
    const db = connectTo(optionsOf(server.data));
    await forgetEndedKeys(db).finally(() => db.destroy()); // as the server does by itself
    await server.rest.post("/workload_identities", {});
    await expectRefusedBut(
      () => callerWith(key),
      { status: 401, code: "TP_1101" },
      () => callerWith(left),
    );
  });

  it("that matches several identities asks which; `audience` chooses", async () => {
    const { one, bot, sub, token } = await identity();
    const other = await server.created("/workload_identities", {
      issuer: issuer.url,
      audiences: [AUDIENCE],
      claims: { sub: `${sub.slice(0, sub.lastIndexOf("/"))}/*` },
      bot_user_id: bot.id,
      ttl: 120,
    });
    const { allowed: chosen } = await refusedBeside({
      refused: () => exchange(server.url, token()),
      as: exchangeRefusal({ ...invalid("audience"), mentions: [one.id, other.id] }, "invalid_target"),
      allowed: () => exchange(server.url, token(), { audience: other.id }),
    });
    expect(chosen.body.expires_in, chosen.text).to.equal(120);
  });

  it("matches claims with `*`, in lists, numbers, true and false, and inside of objects", async () => {
    const { token } = await identity({
      claims: {
        sub: "repo:acme/lists:*",
        groups: "dep*ers",
        number: "17",
        protected: "true",
        "realm.roles": "*",
        "kubernetes.io.serviceaccount.name": "ci",
        "example\\.com.team": "infra",
        "https://id.example.com/team": "infra",
        "https://id\\.example\\.com/role": "dev",
      },
    });
    const claims = {
      sub: "repo:acme/lists:pull_request",
      groups: ["readers", "deployers"],
      number: 17,
      protected: true,
      realm: { roles: "any" },
      "kubernetes.io": { serviceaccount: { name: "ci" } },
      "example.com": { team: "infra" },
      "https://id.example.com/team": "infra",
      "https://id.example.com/role": "dev",
    };
    const wrong = {
      groups: ["deployer"],
      number: "18",
      protected: false,
      realm: {},
      "https://id.example.com/team": "x",
    };
    await refusedBeside({
      refused: Object.entries(wrong).map(
        ([name, value]) =>
          () =>
            exchange(server.url, token({ ...claims, [name]: value })),
      ),
      as: exchangeRefusal(refusedToken, "invalid_request"),
      allowed: () => exchange(server.url, token(claims)),
    });
  });

  it("becomes a key that has the identity's scopes, or fewer that it asks for", async () => {
    const { token } = await identity({ scopes: ["plan", "ip_policy:write"] });
    const answer = await exchange(server.url, token());
    expect(answer.body.scope, answer.text).to.equal("plan ip_policy:write");
    const rest = new Rest(server.url, answer.body.access_token);
    const noScope = { status: 403, code: "TP_1200", mentions: ["lacks the scope"] };
    await expectRefusedBut(
      () => rest.post("/backends/tunnel_group", { labels: { a: "b" } }),
      noScope,
      () => rest.post("/ip_policies", {}),
    );
    const fewer = await exchange(server.url, token(), { scope: "read" });
    expect(fewer.body.scope).to.equal("read");
    expectRefused(await new Rest(server.url, fewer.body.access_token).post("/ip_policies", {}), noScope);
    for (const scope of ["write", "read tls_edge:write", "everything"])
      expectExchangeRefused(
        await exchange(server.url, token(), { scope }),
        invalid("scope"),
        "invalid_scope",
      );
  });

  it("is admitted by no identity that gives more than the key that makes or changes it has", async () => {
    const { bot, one } = await identity();
    const key = await server.created("/api_keys", { scopes: ["plan", "workload_identity:write"] });
    const narrow = new Rest(server.url, key.token);
    const body = { issuer: issuer.url, audiences: [AUDIENCE], claims: { sub: "x" }, bot_user_id: bot.id };
    const more = { status: 403, code: "TP_1200", field: "scopes" };
    const { allowed: own } = await refusedBeside({
      refused: [[], ["write"], ["ip_policy:write"]].map(
        (scopes) => () => narrow.post("/workload_identities", { ...body, scopes }),
      ),
      as: more,
      allowed: () => narrow.post("/workload_identities", body),
    });
    expect(own.body.scopes, own.text).to.deep.equal(["plan", "workload_identity:write"]);
    expectRefused(await narrow.patch(`/workload_identities/${one.id}`, { claims: { sub: "mine" } }), more);
    const set = {
      set: unique("set"),
      objects: [{ kind: "workload_identity", key: "k", fields: { ...body, scopes: [] } }],
    };
    expectRefused(await narrow.post("/changesets", set), more);
  });

  it("that does not match is refused without a reason; the audit log names what did not match", async () => {
    const { one, token } = await identity({ claims: { sub: "repo:acme/web:*", environment: "prod" } });
    const wrong = token({ sub: "repo:acme/web:x", environment: "dev", aud: "other" });
    const { refused } = await refusedBeside({
      refused: () => exchange(server.url, wrong, { audience: one.id }),
      as: exchangeRefusal(refusedToken, "invalid_request"),
      allowed: () => exchange(server.url, token({ sub: "repo:acme/web:x", environment: "prod" })),
    });
    const answer = refused[0] as RestAnswer;
    expect(answer.headers.get("www-authenticate")).to.equal("Bearer");
    for (const word of ["environment", "prod", "wid_"]) expect(answer.text).not.to.contain(word);
    const [row] = await auditRows("identity_token_refused");
    expect(row).to.deep.include({
      ...{ principal_id: "nobody", key_id: null, object_id: one.id, changed: ["aud", "environment"] },
      operation_id: answer.body.details.operation_id,
    });
  });

  it("in a malformed request is refused with what is wrong", async () => {
    const { token } = await identity();
    const malformed: [Record<string, string | undefined>, string, string][] = [
      [{ grant_type: undefined }, "grant_type", "unsupported_grant_type"],
      [{ grant_type: "client_credentials" }, "grant_type", "unsupported_grant_type"],
      [{ subject_token: "" }, "subject_token", "invalid_request"],
      [{ subject_token: "no.jwt" }, "subject_token", "invalid_request"],
      [{ subject_token: `${token()}${"a".repeat(20_000)}` }, "subject_token", "invalid_request"],
      [{ subject_token_type: ACCESS_TOKEN }, "subject_token_type", "invalid_request"],
      [{ requested_token_type: JWT_TYPE }, "requested_token_type", "invalid_request"],
      [{ actor_token: "x" }, "actor_token", "invalid_request"],
      [{ audience: AUDIENCE }, "audience", "invalid_target"],
    ];
    for (const [more, field, error] of malformed)
      await refusedBeside({
        refused: () => exchange(server.url, token(), more),
        as: exchangeRefusal(invalid(field), error),
        allowed: () => exchange(server.url, token()),
      });
    const form = new URLSearchParams({
      grant_type: EXCHANGE,
      subject_token: token(),
      subject_token_type: JWT_TYPE,
    });
    form.append("subject_token", token());
    expectExchangeRefused(
      await sendForm(server.url, form.toString()),
      invalid("subject_token"),
      "invalid_request",
    );
    form.delete("subject_token");
    form.set("subject_token", token());
    const withMore = (count: number) => sendForm(server.url, `${form}${"&more=".repeat(count)}`);
    expectExchangeRefused(
      await withMore(98),
      { status: 400, code: "TP_1001", mentions: ["100 fields"] },
      "invalid_request",
    );
    expect((await withMore(97)).status, "100 fields").to.equal(200);
    const noForm = { status: 415, code: "TP_1402" };
    expectExchangeRefused(
      await sendForm(server.url, "{}", { "content-type": "application/json" }),
      noForm,
      "invalid_request",
    );
    expectExchangeRefused(
      await sendForm(server.url, `x=${"y".repeat(70_000)}`),
      { status: 413, code: "TP_1401", mentions: ["larger than 64 KiB"] },
      "invalid_request",
    );
    const other = await fetch(`${server.url}/token`);
    expect([other.status, other.headers.get("allow")]).to.deep.equal([405, "POST"]);
  });

  it("cannot be exchanged for more than a thousand identities: further ones are refused", async () => {
    const bot = await server.created("/bot_users", { name: unique("pipeline") });
    const fields = { issuer: issuer.url, audiences: [], bot_user_id: bot.id };
    const set = new SetInTest(server.rest, unique("set"));
    const { workload_identities: others } = await server.read("/workload_identities");
    const many = Array.from({ length: 1000 - others.length }, (_, number) =>
      declared("workload_identity", `job-${number}`, {
        ...fields,
        claims: { sub: `repo:acme/job-${number}` },
      }),
    );
    const oneMore = declared("workload_identity", "job", { ...fields, claims: { sub: "one more" } });
    for (const query of ["", "?dry_run=true"]) {
      const beyond = { set: unique("set"), objects: [...many, oneMore] };
      expectRefused(await server.rest.post(`/changesets${query}`, beyond), { status: 409, code: "TP_1501" });
    }
    await set.apply(many);
    const [one] = Object.values(await set.ids());
    await expectRefusedBut(
      () => server.rest.post("/workload_identities", { ...fields, claims: { sub: "one more" } }),
      { status: 409, code: "TP_1501" },
      () => server.rest.patch(`/workload_identities/${one}`, { ttl: 120 }),
    );
  });
});
