import { execFileSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { freePort } from "../support/ports";
import { signedChain } from "../support/tlsChains";
import { lineAbout, runningForEachTest } from "./running";
import { http1, signedUntil } from "./traffic";
import { jwt } from "./worlds";

const withPassphrase = (key: string): string =>
  String(
    createPrivateKey(key).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hush" }),
  );

describe("A mistake gets one clear line with its cure, and the rest goes on", () => {
  const running = runningForEachTest();

  it("for certificates: without a key, with a wrong one, with a passphrase, in another order, ended, two for one name, and one that Envoy refuses, until it is mended", async () => {
    const one = running.now;
    const certs = join(one.folder, "certs");
    execFileSync("mkdir", [certs]);
    const put = (name: string, { pem, privateKey }: { pem: string; privateKey?: string }) => {
      writeFileSync(join(certs, `${name}.pem`), pem);
      if (privateKey) writeFileSync(join(certs, `${name}.key`), privateKey);
    };
    const of = (host: string) => certificate({ extensions: [`subjectAltName = DNS:${host}`] });
    put("good", of("good.example.com"));
    put("second", of("good.example.com"));
    put("alone", { pem: of("alone.example.com").pem });
    put("swapped", { ...of("swapped.example.com"), privateKey: of("x.example.com").privateKey });
    put("locked", {
      ...of("locked.example.com"),
      privateKey: withPassphrase(of("x.example.com").privateKey),
    });
    const { chain, key: privateKey } = signedChain("turned.example.com");
    put("turned", { pem: chain.toReversed().join(""), privateKey });
    put("old", signedUntil(certificate(), new Date("2025-01-01"), "subjectAltName = DNS:old.example.com"));
    const weak = certificate({ key: "weak", extensions: ["subjectAltName = DNS:weak.example.com"] });
    put("weak", weak);
    const bad = ["alone", "swapped", "locked", "turned", "old", "weak"];
    for (const name of ["good", ...bad]) await one.site(`${name}.example.com`);
    one.run("--certs", certs);
    await one.becomes(200, "good.example.com");
    expect(lineAbout(one, '"msg":"alone.pem')).to.contain("has no key beside it: put it into");
    expect(lineAbout(one, '"msg":"the key beside swapped.pem')).to.contain(
      "belongs to another certificate: put the key of this one there",
    );
    expect(lineAbout(one, "/old.pem"))
      .to.contain("ended at 2025-01-01")
      .and.to.contain("put a new one in its place");
    expect(lineAbout(one, "second.pem"))
      .to.contain("are both for good.example.com")
      .and.to.contain("remove the other");
    const edges = await one.reports((all) => all.length === 1 + bad.length);
    const reasons = edges.filter(({ state }) => state === "rejected").map(({ reason }) => reason);
    expect(reasons).to.have.length(bad.length);
    for (const cause of [
      "alone.pem in the certificates' folder has no key beside it: put it into alone.key",
      "the key beside swapped.pem in the certificates' folder belongs to another certificate",
      "the key beside locked.pem in the certificates' folder is protected by a passphrase",
      "turned.pem in the certificates' folder is out of order: the key belongs to certificate 3 in it",
      "the certificate for old.example.com ended at 2025-01-01",
      "Envoy refuses it",
    ])
      expect(
        reasons.filter((reason) => reason.includes(cause)),
        cause,
      ).to.have.length(1);
    expect((await one.ask("weak.example.com")).status).to.equal(0);
    expect(one.gateway.log).to.contain("edge rejected").and.to.contain("Envoy refuses it");
    put("alone", of("alone.example.com"));
    await one.becomes(200, "alone.example.com");
    put("weak", of("weak.example.com"));
    await one.becomes(200, "weak.example.com");
  });

  it("for a port that is taken at the start or later, an issuer that cannot be reached, and a key that is wrong", async () => {
    const one = running.now;
    const [taken, late, issuerPort] = [await freePort(), await freePort(), await freePort()];
    const holder: Server = createServer().listen(taken, "127.0.0.1");
    await one.site("good.example.com");
    const issuer = `https://127.0.0.1:${issuerPort}`;
    const { edge, route } = await one.site("mixed.example.com");
    const keys = `${issuer}/keys`;
    for (const [match, checks] of Object.entries<object>({
      "/signed": { oidc: { issuer, client_id: "a", client_secret: "b", scopes: ["openid"] } },
      "/tokens": { jwt_validation: jwt({}, keys) },
    }))
      await one.api.httpsEdgeRoutes(edge.id).create({
        ...{ match_type: "path_prefix", match },
        ...{ backend: { backend_id: route.backend?.backend.id ?? "" }, ...checks },
      });
    one.run("--dev-ca", "--listen", `444=127.0.0.1:${taken}`, "--listen", `445=127.0.0.1:${late}`);
    await one.becomes(200, "good.example.com");
    expect(lineAbout(one, `127.0.0.1:${taken} cannot be listened on`)).to.contain(
      "another process listens there: stop it, or choose another",
    );
    expect(lineAbout(one, `the discovery document of the issuer ${issuer} could not be read`))
      .to.contain("ECONNREFUSED")
      .and.to.contain("--trust");
    await one.gateway.logged(`the key set ${keys} could not be read`);
    expect(lineAbout(one, `the key set ${keys} could not be read`))
      .to.contain("ECONNREFUSED")
      .and.to.contain("--trust");
    // Their routes are refused at their places, so that the one for / does not take them over, and it goes
    // on.
    const statuses = [];
    for (const path of ["/", "/other", "/signed", "/signed/x", "/tokens"])
      statuses.push((await one.ask("mixed.example.com", path)).status);
    expect(statuses).to.deep.equal([200, 200, 503, 503, 503]);
    const { state, reason } = await one.reported(edge.id);
    expect(state).to.equal("rejected");
    expect(reason)
      .to.contain(
        `the route /signed is refused, and the others are served: the discovery document of the issuer ${issuer}`,
      )
      .and.to.contain(`the route /tokens is refused, and the others are served: the key set ${keys}`);
    expect(await one.ready(), "no issuer makes a gateway unready").to.equal(200);
    // Envoy begins to listen with the first edge of a port.
    const lateHolder: Server = createServer().listen(late, "127.0.0.1");
    await once(lateHolder, "listening");
    const backend = { backend_id: route.backend?.backend.id ?? "" };
    const lateEdge = await one.api.httpsEdges.create({ hostports: ["late.example.com:445"] });
    await one.api.httpsEdgeRoutes(lateEdge.id).create({ match_type: "path_prefix", match: "/", backend });
    await one.gateway.logged(`127.0.0.1:${late} cannot be listened on`);
    expect(lineAbout(one, `127.0.0.1:${late}`)).to.contain(
      "another process listens there: stop it, or choose another with --listen",
    );
    await one.site("other.example.com");
    await one.becomes(200, "other.example.com");
    for (const server of [holder, lateHolder]) await new Promise((resolve) => server.close(resolve));
    await one.until(async () => (await http1(late, "/", { sni: "late.example.com" })).status === 200);
    await one.gateway.stop();
    one.key = "tpk_of-nobody-at-all";
    one.run("--dev-ca");
    await one.becomes(200, "good.example.com");
    await one.gateway.logged("the server could not be read");
    const failures = async () => Number(/_failures (\d+)/.exec(await one.metrics())?.[1]);
    await one.until(async () => (await failures()) > 2);
    expect(lineAbout(one, "the server could not be read"))
      .to.contain("check TUNNELPLANE_API_KEY")
      .and.to.contain("goes on serving");
  });
});
