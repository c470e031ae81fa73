import { refusalToServe } from "../support/commandLine";
import { untilTestEnds } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { ServerProcess } from "../support/server";
import { offerSignIns, signInArgs, Visitor } from "../support/signIn";
import { StandInTokenIssuer } from "../support/tokenIssuer";

const DISCOVERY = "/.well-known/openid-configuration";

describe("An identity provider that is away", () => {
  let issuer: StandInTokenIssuer;
  let server: ServerProcess;
  beforeEach(async () => {
    issuer = await StandInTokenIssuer.start();
    offerSignIns(issuer);
    server = await ServerProcess.start({ args: signInArgs(issuer) });
  });
  afterEach(async () => {
    await server.stop();
    issuer.stop();
  });

  const keysWork = async () => expect((await server.rest.get("/caller")).status).to.equal(200);
  async function expectAway(answer: Response): Promise<void> {
    const page = await answer.text();
    expect(answer.status, page).to.equal(503);
    expect(page).to.contain("does not answer now").and.to.contain("API keys go on to work");
  }

  for (const [name, answer] of [
    ["answers nothing at all", undefined],
    ["answers 10 MB", JSON.stringify({ issuer: "x".repeat(10_000_000) })],
    ["answers no JSON", "<html>"],
    ["calls itself by another name", JSON.stringify({ issuer: "https://other.example.com" })],
  ] as const)
    it(`because it ${name}, stops only those who sign in, and their page says so`, async () => {
      issuer.instead.set(DISCOVERY, answer);
      const waiting = Array.from({ length: 20 }, () => new Visitor(server.url).send("/sign_in"));
      await keysWork();
      for (const one of await Promise.all(waiting)) {
        if (one.status === 503 && one.headers.has("retry-after")) continue; // too many at once
        await expectAway(one);
      }
      await keysWork();
      await server.logged("the identity provider cannot be read");
    });

  it("stops no start, and people sign in once it is back", async () => {
    const { url } = issuer;
    issuer.instead.set(DISCOVERY, "");
    await expectAway(await new Visitor(server.url).send("/sign_in"));
    offerSignIns(issuer);
    let answer: Response;
    do answer = await new Visitor(server.url).send("/sign_in");
    while (answer.status === 503);
    expect(answer.headers.get("location")).to.contain(`${url}/authorize`);
  });

  it("when a code is to be redeemed, is said so, too", async () => {
    for (const answer of [undefined, "x".repeat(10_000_000)]) {
      const one = new Visitor(server.url);
      const { state } = await one.begin();
      issuer.instead.set("/token", answer);
      await expectAway(await one.comeBack({ code: "a-code", state }));
    }
    await keysWork();
  });
});

describe("A server without an identity provider", () => {
  const started = untilTestEnds(ServerProcess.start);
  it("says so at the sign-in, and where a page asks", async () => {
    const server = await started();
    const one = new Visitor(server.url);
    await refusedBeside({
      refused: () => one.send("/sign_in"),
      as: 404,
      allowed: () => one.send("/session"),
    });
    expect(await one.session()).to.deep.equal({
      user: null,
      csrf_token: null,
      expires_at: null,
      sign_in: false,
    });
  });

  const whole = "--oidc-issuer https://id.example.com --oidc-client-id x";
  for (const [what, args] of Object.entries({
    "has no client id": "--oidc-issuer https://id.example.com",
    "has no issuer": "--oidc-client-id x",
    "has an issuer that is not an https URL": whole.replace("https", "http"),
    "asks for no openid": `${whole} --oidc-scopes email`,
    "cannot read the secret": `${whole} --oidc-client-secret-file /nowhere`,
  }))
    it(`does not start where it ${what}, and names the flag`, async () => {
      expect(await refusalToServe("/nowhere", { args: args.split(" ") })).to.contain("--oidc-");
    });
});
