import { refusedBeside } from "../support/refusal";
import { Issuer } from "./tokens";
import { envoyOfThisFile } from "./traffic";
import { fixed, httpsEdge, inbound, jwt, policy, route, to } from "./worlds";

describe("Tokens on a real Envoy, as their RFCs say", () => {
  const gateway = envoyOfThisFile();
  let issuer: Issuer;
  before("start an issuer", async function () {
    if (!gateway.state.own) return this.skip();
    issuer = await Issuer.start(gateway.state.own);
  });
  const serve = (fields: object, more: object = {}) =>
    gateway.serve([
      httpsEdge({ routes: [route({ backend: to("up"), jwt_validation: jwt(fields, issuer.jku), ...more })] }),
      fixed("up", gateway.state.upstream.address),
    ]);
  const ask = (authorization: string | undefined, method = "GET") =>
    gateway.http1("/", { method, headers: authorization === undefined ? {} : { authorization } });

  it("pass behind `Bearer` in any case, and the server behind gets it as declared", async () => {
    await serve({});
    const token = issuer.token();
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      const { allowed } = await refusedBeside({
        refused: () => ask(`${scheme}x ${token}`),
        as: 401,
        allowed: () => ask(`${scheme} ${token}`),
      });
      expect(allowed.status, scheme).to.equal(200);
      const { headers } = JSON.parse(allowed.body) as { headers: Record<string, string> };
      expect(headers.authorization).to.equal(`Bearer ${token}`);
    }
  });

  it("are refused where their header asks for an extension that nobody here knows", async () => {
    await serve({});
    await refusedBeside({
      refused: [["b64"], ["exp"], ["https://example.com/x"], []].map(
        (crit) => () => ask(`Bearer ${issuer.token(issuer.claims(), { crit })}`),
      ),
      as: 403,
      allowed: () => ask(`Bearer ${issuer.token()}`),
    });
  });

  it("are refused with the reason in WWW-Authenticate, and nothing of the token or the rules", async () => {
    await serve({ require_claims: { group: ["ops"] } });
    const bearer = async (claims: object | undefined, alg?: string) =>
      (await ask(claims && `Bearer ${issuer.token(issuer.claims(claims), alg ? { alg } : {})}`)).headers[
        "www-authenticate"
      ];
    expect(await bearer(undefined)).to.equal('Bearer realm="token"');
    expect(await bearer({ exp: 1 })).to.equal(
      'Bearer error="invalid_token", error_description="Jwt is expired"',
    );
    expect(await bearer({ iss: "https://evil.example.com" })).to.contain('error="invalid_token"');
    expect(await bearer({ aud: "other" })).to.contain('error="invalid_token"');
    expect(await bearer({}, "RS512")).to.contain('error="invalid_token"');
    expect(await bearer({ group: "dev" }))
      .to.match(/^Bearer error="insufficient_scope"/)
      .and.not.match(/ops|group/);
    const { status, headers } = await ask(`Bearer ${issuer.token(issuer.claims({ group: "ops" }))}`);
    expect([status, headers["www-authenticate"]]).to.deep.equal([200, undefined]);
  });

  it("are not asked of OPTIONS requests where that is declared, beside policies too", async () => {
    const policies = inbound(policy(['req.path == "/denied"'], ["deny"]));
    for (const more of [{}, { policies }]) {
      await serve({ options_passthrough: true }, more);
      await refusedBeside({
        refused: [() => ask(undefined), () => ask("Bearer x"), () => ask(undefined, "HEAD")],
        as: 401,
        allowed: () => ask(undefined, "OPTIONS"),
      });
      await serve({}, more);
      await refusedBeside({
        refused: () => ask(undefined, "OPTIONS"),
        as: 401,
        allowed: () => ask(`Bearer ${issuer.token()}`),
      });
    }
  });
});
