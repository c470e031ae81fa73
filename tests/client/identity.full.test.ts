import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthenticationError, IdentityTokenError, jobIdentityIn, Tunnelplane } from "@tunnelplane/sdk";
import { runHere } from "../support/commandLine";
import { onOneDatabase, rowsIn } from "../support/databases";
import { Rest } from "../support/rest";
import { MOVABLE_CLOCK, type ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";
import { admittedIdentity, StandInTokenIssuer, secondsFromNow } from "../support/tokenIssuer";

const THREE_HOURS_S = 3 * 60 * 60;

onOneDatabase("A client without an API key", (start) => {
  let [issuer, server, admin]: [StandInTokenIssuer, ServerProcess, Rest] = [] as never;
  let identity: { id: string };
  const clients: Tunnelplane[] = [];
  const now = performance.now;
  before("start an issuer and a server", async () => {
    issuer = await StandInTokenIssuer.start();
    server = await start({ args: ["--allow-private-targets"], env: MOVABLE_CLOCK });
    admin = new Rest(server.url, server.apiKey);
    identity = await admittedIdentity(admin, issuer, { ttl: 60, audiences: [server.url] });
  });
  after("stop them", async () => {
    performance.now = now;
    for (const client of clients) await client.close();
  });

  const tokenFor = (audience = server.url) =>
    issuer.token({ aud: audience, exp: secondsFromNow(THREE_HOURS_S) });
  function clientWith(environment: Record<string, string>): Tunnelplane {
    const found = jobIdentityIn(environment);
    if (!found) throw new Error("There is no identity in this environment");
    const client = new Tunnelplane({ baseUrl: server.url, identity: found });
    clients.push(client);
    return client;
  }
  const exchanges = async () => (await rowsIn(server.data, "select id from exchanged_key")).length;

  it("exchanges its token once for many requests, also for those at the same time", async () => {
    const before = await exchanges();
    const client = clientWith({ TUNNELPLANE_IDENTITY_TOKEN: `${tokenFor()}\n` });
    await Promise.all(Array.from({ length: 5 }, () => client.caller()));
    expect((await client.caller()).name).to.equal("pipeline");
    expect((await exchanges()) - before).to.equal(1);
  });

  it("gets another key before the first ends, and reads the file of its token again", async () => {
    const file = join(server.data, "token");
    writeFileSync(file, tokenFor());
    const client = clientWith({ TUNNELPLANE_IDENTITY_TOKEN_FILE: file });
    const first = (await client.caller()).key_id;
    expect((await client.caller()).key_id).to.equal(first);
    performance.now = () => now.call(performance) + 50_000;
    writeFileSync(file, issuer.token({ sub: "another", aud: server.url }));
    await refused(client.caller(), AuthenticationError, "not accepted here");
    writeFileSync(file, tokenFor());
    expect((await client.caller()).key_id).not.to.equal(first);
    rmSync(file);
    performance.now = () => now.call(performance) + 200_000;
    await refused(client.caller(), IdentityTokenError, "TUNNELPLANE_IDENTITY_TOKEN_FILE");
    performance.now = now;
  });

  it("goes on with another key where the server ends one early, or has a clock that is ahead", async () => {
    const client = clientWith({ TUNNELPLANE_IDENTITY_TOKEN: tokenFor() });
    const first = (await client.caller()).key_id;
    await admin.patch(`/workload_identities/${identity.id}`, { description: "changed" });
    const { id } = await client.tunnelGroupBackends.create({ labels: { made: "once" } });
    expect((await client.caller()).key_id).not.to.equal(first);
    server.passAnHour();
    await client.tunnelGroupBackends.delete(id);
  });

  it("asks GitHub for a token that is made for the server", async () => {
    const asked: [string | undefined, string | undefined][] = [];
    const github = await StandInServer.start(({ url, headers }, answer) => {
      asked.push([url, headers.authorization]);
      const audience = new URL(url ?? "", "http://x").searchParams.get("audience") ?? "";
      answer.statusCode = headers.authorization === "bearer of the job" ? 200 : 401;
      answer.end(JSON.stringify({ count: 1, value: tokenFor(audience) }));
    });
    const environment = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of the job",
      TUNNELPLANE_WORKLOAD_IDENTITY: identity.id,
    };
    expect((await clientWith(environment).caller()).name).to.equal("pipeline");
    expect(asked).to.deep.equal([
      [`/token?api-version=2.0&audience=${encodeURIComponent(server.url)}`, "bearer of the job"],
    ]);
    const other = clientWith({ ...environment, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of another" });
    await refused(other.caller(), IdentityTokenError, "id-token: write");
  });

  it("is the command line too, where no key is set", async () => {
    const environment = {
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: undefined,
      TUNNELPLANE_IDENTITY_TOKEN: tokenFor(),
    };
    const { code, err } = await runHere(["list", "ip-policies"], environment);
    expect(code, err).to.equal(0);
    const { out } = await runHere(["doctor"], environment);
    expect(out).to.contain("the key of pipeline (member)");
    const wrong = await runHere(["list", "ip-policies"], {
      ...environment,
      TUNNELPLANE_IDENTITY_TOKEN: "x.y.z",
    });
    expect(wrong.err).to.contain("not a JSON Web Token");
  });
});

async function refused(
  run: Promise<unknown>,
  type: new (...given: never) => Error,
  words: string,
): Promise<void> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(type);
  expect(String(error)).to.contain(words);
}
