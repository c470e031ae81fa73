import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Issuers } from "../../../server/src/identities/exchange/issuers";
import { verified } from "../../../server/src/identities/exchange/verify";
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

  const check = (token: string, client = "192.0.2.1", project = "proj_a", url = issuer.url) =>
    verified(issuers, { issuer: url, client, project }, token).then(
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

  it("stay while another project asks for as many others as it can", async () => {
    const token = issuer.token();
    await check(token, "192.0.2.1", "proj_b");
    for (let index = 0; index < 1_100; index++)
      await check(token, "192.0.2.1", "proj_a", `http://127.0.0.1:9/${index}`);
    expect(await check(token, "192.0.2.1", "proj_b")).to.equal("taken");
    expect(questions()).to.equal(1);
  });

  it("that is slow hold up a few of an address, and of a project, and leave room for others", async () => {
    const slow: Server[] = [];
    const open = new Set<Socket>();
    const urls: string[] = [];
    for (let index = 0; index < 5; index++) {
      const server = createServer(() => undefined).on("connection", (socket) => open.add(socket));
      slow.push(server.listen(0, "127.0.0.1"));
      await once(server, "listening");
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    const token = issuer.token();
    let waiting = 0;
    const wait = (client: string, project: string, url = ""): Promise<string> => {
      waiting++;
      return check(token, client, project, url).finally(() => waiting--);
    };
    const [first = "", ...others] = urls;
    const all = ["192.0.2.1", "192.0.2.1", "192.0.2.1"].map((client) => wait(client, "proj_a", first));
    expect(await Promise.race(all)).to.match(/cannot be read now/);
    expect(waiting, "the third of an address is refused").to.equal(2);
    for (const client of ["192.0.2.2", "192.0.2.3"]) all.push(wait(client, "proj_a", first));
    for (const url of others.slice(0, 3))
      for (const number of [4, 5, 6, 7]) all.push(wait(`192.0.2.${number}`, "proj_a", url));
    expect(await wait("192.0.2.8", "proj_a", others[3])).to.match(/cannot be read now/);
    expect(waiting, "those of a project").to.equal(16);
    expect(await check(token, "192.0.2.6", "proj_b"), "another project").to.equal("taken");
    for (const socket of open) socket.destroy();
    for (const server of slow) server.close();
    await Promise.all(all);
  });
});
