import { expect } from "chai";
import { Issuers } from "../../../server/src/exchange/issuers";
import { verified } from "../../../server/src/exchange/verify";
import { StandInTokenIssuer } from "../../support/tokenIssuer";

describe("The keys of an issuer", () => {
  const now = performance.now;
  let later = 0;
  let [issuer, issuers]: [StandInTokenIssuer, Issuers] = [undefined as never, undefined as never];
  beforeEach("start it, with a clock that the test moves", async () => {
    later = 0;
    performance.now = () => now.call(performance) + later;
    issuer = await StandInTokenIssuer.start();
    issuers = new Issuers(true, { warn: () => undefined });
  });
  afterEach("stop it", async () => {
    performance.now = now;
    issuer.stop();
    await issuers.close();
  });

  const check = (token: string) =>
    verified(issuers, issuer.url, token).then(
      () => "taken",
      (error) => error.message,
    );
  const questions = () => issuer.asked.filter((path) => path === "/jwks").length;

  it("are asked for once, and again after five minutes", async () => {
    for (let times = 0; times < 3; times++) expect(await check(issuer.token())).to.equal("taken");
    expect(questions()).to.equal(1);
    later = 6 * 60_000;
    expect(await check(issuer.token())).to.equal("taken");
    expect(questions()).to.equal(2);
  });

  it("are asked for again when a token has a new one, but not for each token", async () => {
    await check(issuer.token());
    issuer.exchangeKeys();
    for (let times = 0; times < 3; times++) expect(await check(issuer.token())).to.match(/kid/);
    expect(questions()).to.equal(1);
    later = 30_000;
    expect(await check(issuer.token())).to.equal("taken");
    expect(questions()).to.equal(2);
  });

  it("are taken for an hour while the issuer does not answer", async () => {
    await check(issuer.token());
    issuer.stop();
    later = 30 * 60_000;
    expect(await check(issuer.token())).to.equal("taken");
    later = 2 * 60 * 60_000;
    expect(await check(issuer.token())).to.match(/cannot be read now/);
  });
});
