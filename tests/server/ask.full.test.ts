import { parse } from "yaml";
import { certificate } from "../support/api/fixtures";
import { runHere } from "../support/commandLine";
import type { Rest } from "../support/rest";
import type { Ended } from "../support/server";
import { ServerProcess } from "../support/server";
import { tableOf } from "../support/table";

const OUTSIDE = "198.51.100.7";
const INSIDE = "10.1.2.3";
const ISSUER = "https://id.example.com";
const { asked, refused } = tableOf<{
  readonly asked: readonly [code: number, outcome: string, words: string][];
  readonly refused: readonly [words: string, said: string, ...more: string[]][];
}>(__dirname, "ask.yaml");

describe("tunnelplane ask", () => {
  let server: ServerProcess;
  let api: Rest;
  let partners: string;
  let edge: string;
  before("start a server with a site and a door for holders of certificates", async () => {
    server = await ServerProcess.start();
    api = server.rest;
    edge = (await api.created("/edges/https", { hostports: ["app.example.com:443"] })).id;
    const { id: page } = await api.created("/backends/http_response", { status_code: 204 });
    const { id: office } = await api.created("/ip_policies", {});
    await api.created("/ip_policy_rules", { ip_policy_id: office, cidr: "10.0.0.0/8", action: "allow" });
    await route("/", page);
    await route("/admin", page, { ip_restriction: { ip_policy_ids: [office] } });
    await route("/api", page, { jwt_validation: token(ISSUER) });
    await route("/me", page, {
      oidc: { issuer: ISSUER, client_id: "site", client_secret: "canary", scopes: ["openid"] },
    });
    await route("/off", page, { backend: { backend_id: page, enabled: false } });
    await route("/asks", page, {
      policies: {
        inbound: [
          {
            expressions: ['req.headers["x-team"] == "blue"'],
            actions: [{ type: "deny", config: { status_code: 451 } }],
          },
          { expressions: ['req.user_agent.contains("bot")'], actions: [{ type: "deny" }] },
        ],
      },
    });
    partners = await authority("Partners CA", "our partners");
    await api.patch(`/certificate_authorities/${partners}`, {}, { "tunnelplane-name": "partners" });
    await authority("Suppliers", "of suppliers");
    const { id: tunnels } = await api.created("/backends/tunnel_group", { labels: { app: "db" } });
    await api.created("/credentials", {});
    await api.created("/edges/tls", {
      hostports: ["db.example.com:5432", "db.example.com:443"],
      backend: { backend_id: tunnels },
      mutual_tls: { certificate_authority_ids: [partners] },
    });
  });

  const route = (match: string, backend: string, more: object = {}) =>
    api.created(`/edges/https/${edge}/routes`, {
      match_type: "path_prefix",
      match,
      backend: { backend_id: backend },
      ...more,
    });
  const authority = async (name: string, description: string) =>
    (await api.created("/certificate_authorities", { description, ca_pem: certificate({ name }).pem })).id;
  const token = (issuer: string) => ({
    issuer: { allow_list: [{ value: issuer }] },
    audience: { allow_list: [{ value: "api" }] },
    http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
    jws: { allowed_algorithms: ["RS256"], keys: { sources: { additional_jkus: [`${issuer}/keys`] } } },
  });

  const ask = (words: string, ...more: string[]): Promise<Ended> =>
    runHere(["ask", ...words.split(" "), ...more], {
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    });
  const decided = async (words: string, ...more: string[]) => {
    const { code, out, err } = await ask(words, ...more, "-o", "json");
    expect(err).to.equal("");
    return { code, ...JSON.parse(out) };
  };

  it("prints the decision first, then each step, and what a caller who is let in reaches", async () => {
    const refused = await ask(`GET https://app.example.com/admin?page=1 --from ${OUTSIDE}`);
    expect(refused).to.include({ code: 3, err: "" });
    const [decision, ...steps] = refused.out.trimEnd().split("\n");
    expect(decision).to.match(/^Refused with 403: /);
    expect(steps.map((line) => line.trim().replace(/\. .* \((\w+) of the .*/, " $1"))).to.deep.equal([
      "1 hostports",
      "2 tls_termination",
      "3 match",
      "4 ip_restriction",
    ]);
    expect(steps[0]).to.contain(`(hostports of the HTTPS edge "app.example.com:443" (${edge}))`);
    const letIn = await ask(`GET https://app.example.com/admin --from ${INSIDE}`);
    expect(letIn.code).to.equal(0);
    expect(letIn.out).to.match(/^Answered with 204: .*\n {3}Goes to: an answer of status 204\n/);
  });

  it("ends with 0 for a caller who is let in, with 3 for one who is not, and with 4 where that is not known", async () => {
    for (const [code, outcome, words] of asked)
      expect(await decided(words), words).to.include({ code, outcome });
    const bare = (await api.created("/edges/https", { hostports: ["bare.example.com:443"] })).id;
    expect(await decided(`https://bare.example.com/ --from ${OUTSIDE}`)).to.include({
      code: 3,
      outcome: "not_found",
    });
    await api.delete(`/edges/https/${bare}`);
  });

  it("asks with a certificate of an authority by its id, its name, its description or its subject, or of one that is not stored", async () => {
    for (const wanted of [partners, "partners", "our partners", "Partners CA"])
      for (const address of ["tls://db.example.com:5432", "tls://db.example.com"])
        expect(
          await decided(`${address} --from ${OUTSIDE}`, "--certificate-of", wanted),
          `${address} ${wanted}`,
        ).to.include({ code: 0 });
    for (const wanted of ["Suppliers", "other"])
      expect(
        await decided(`tls://db.example.com:5432 --from ${OUTSIDE}`, "--certificate-of", wanted),
        wanted,
      ).to.include({ code: 3, outcome: "closed" });
  });

  it("answers a member as it answers an admin, names of authorities included", async () => {
    const { id: bot } = await api.created("/bot_users", { name: "ada" });
    const { body: key } = await api.post("/api_keys", { owner_id: bot });
    const words = ["tls://db.example.com", "--from", OUTSIDE, "--certificate-of", "our partners"];
    const answers = await Promise.all(
      [key.token, server.apiKey].map((apiKey: string) =>
        runHere(["ask", ...words], { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: apiKey }),
      ),
    );
    expect(answers[0]).to.include({ code: 0, err: "" }).and.to.deep.equal(answers[1]);
  });

  it("asks with a token, a session, a user agent and headers", async () => {
    const from = `--from ${OUTSIDE}`;
    const api = `GET https://app.example.com/api ${from}`;
    expect(await decided(api)).to.include({ code: 3, status: 401 });
    expect(await decided(api, "--token-of", ISSUER)).to.include({ code: 0, status: 204 });
    expect(await decided(api, "--token-of", "https://elsewhere.example.com")).to.include({
      code: 3,
      status: 401,
    });
    expect(await decided(`https://app.example.com/me ${from}`, "--session")).to.include({ code: 0 });
    const asks = `GET https://app.example.com/asks ${from}`;
    expect(await decided(asks, "--header", "X-Team: red")).to.include({ code: 0 });
    expect(await decided(asks, "--header", "X-Team: blue")).to.include({ code: 3, status: 451 });
    expect(await decided(asks, "--user-agent", "a bot")).to.include({ code: 3, status: 403 });
    expect(await decided(asks, "--header", "User-Agent: a bot")).to.include({ code: 3, status: 403 });
    expect(await decided(asks, "--header", "Host: www.example.com")).to.include({ code: 3, status: 421 });
  });

  it("prints the decision for programs in JSON, by either name of the option, and in YAML", async () => {
    const words = `GET https://app.example.com/admin --from ${OUTSIDE}`;
    const { out } = await ask(words, "--output", "json");
    expect(JSON.parse(out)).to.include({ outcome: "refused", address: "app.example.com:443/admin" });
    expect((await ask(words, "--format", "json")).out).to.equal(out);
    expect(parse((await ask(words, "-o", "yaml")).out)).to.deep.equal(JSON.parse(out));
  });

  it("ends with 1 where it could not ask, so that nobody takes a failure for an answer", async () => {
    const words = ["ask", "GET", "https://app.example.com/", "--from", OUTSIDE];
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    for (const wrong of [
      { TUNNELPLANE_BASE_URL: "http://127.0.0.1:9" },
      { TUNNELPLANE_API_KEY: "tpk_nobodys" },
      { TUNNELPLANE_API_KEY: undefined },
    ]) {
      const { code, out, err } = await runHere(words, { ...env, ...wrong });
      expect({ code, out }).to.deep.equal({ code: 1, out: "" });
      expect(err).to.match(/^tunnelplane: .+\n$/);
    }
    for (const [wanted, said] of [
      ["ca_0ERWdYmHciyPtBdiFM2OsTqjQue", "There is no certificate authority"],
      ["Partner CA", 'There is no certificate authority "Partner CA"; did you mean "Partners CA"?'],
      ["twins", 'Several certificate authorities are called "twins": name one by its id (ca_'],
    ] as const) {
      if (wanted === "twins") for (const name of ["One", "Two"]) await authority(name, "twins");
      const { code, err } = await ask(words.slice(1).join(" "), "--certificate-of", wanted);
      expect(code, wanted).to.equal(1);
      expect(err).to.contain(said);
    }
  });

  it("refuses what is not a request, and says what was expected", async () => {
    for (const [words, said, ...more] of refused) {
      const { code, out, err } = await ask(words, ...more);
      expect({ code, out }, `${words} ${more}`).to.deep.equal({ code: 2, out: "" });
      expect(err).to.contain(said);
    }
    const spaced = await runHere(["ask", "GET", "https://app.example.com/a b", "--from", OUTSIDE]);
    expect(spaced).to.include({ code: 2 });
    expect(spaced.err).to.contain("write %20");
  });

  it("sends the path as it is written: dots stay, what is not ASCII is encoded, a fragment is left out", async () => {
    await route("/%C3%BCber", (await api.created("/backends/http_response", { status_code: 201 })).id);
    const from = `--from ${OUTSIDE}`;
    expect(await decided(`GET https://APP.example.com/über#top ${from}`)).to.include({ status: 201 });
    expect(await decided(`GET https://app.example.com/open/%2e%2e/admin ${from}`)).to.include({
      status: 403,
    });
    expect(await decided(`GET https://app.example.com?next=/admin ${from}`)).to.include({ status: 204 });
  });
});
