import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { Browser } from "./browser";
import { runningForAllTests } from "./running";
import { StandInIssuer } from "./standInIssuer";

const HOSTS = ["one.example.com", "two.example.com", "three.example.com"];
const ROUTES_OF_EACH = 100;

describe("300 routes with sign-in on one gateway, each with a provider of its own (stand-ins)", () => {
  const running = runningForAllTests();
  const own = certificate({ extensions: ["subjectAltName = IP:127.0.0.1"] });
  const sites: { readonly page: string; readonly issuer: StandInIssuer }[] = [];
  const browser = () => new Browser(running.now, own.pem);
  const siteAt = (index: number) => sites[index] as (typeof sites)[number];

  before("declare them", async () => {
    const one = running.now;
    const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    for (const host of HOSTS) {
      const { edge, route: plain } = await one.site(host);
      const backend = { backend_id: plain.backend?.backend.id ?? "" };
      for (let index = 0; index < ROUTES_OF_EACH; index++) {
        const issuer = await StandInIssuer.start(own, key);
        const [id, secret] = [`client ${sites.length}`, `secret ${sites.length}`];
        const match = `/app-${index}/`;
        const oidc = { issuer: issuer.url, client_id: id, client_secret: secret, scopes: ["openid"] };
        const route = await one.api
          .httpsEdgeRoutes(edge.id)
          .create({ match_type: "path_prefix", match, backend, oidc });
        issuer.client = { id, secret, redirectUri: `https://${host}/.tunnelplane/callback/${route.id}` };
        sites.push({ page: `https://${host}${match}page`, issuer });
      }
    }
    const trust = join(one.folder, "trust.pem");
    writeFileSync(trust, own.pem);
    one.run("--dev-ca", "--trust", trust);
    await one.reports((all) => all.length === HOSTS.length && all.every(({ state }) => state === "applied"));
  });

  it("each send their users to their own provider", async () => {
    const sentTo = await Promise.all(
      sites.map(async ({ page }) => {
        const { origin, searchParams } = new URL((await browser().visit(page)).location);
        return [origin, searchParams.get("client_id")];
      }),
    );
    expect(sentTo).to.deep.equal(sites.map(({ issuer }) => [issuer.url, issuer.client.id]));
  });

  it("each serve who signed in at their own provider, and neither a session nor a code of another one", async () => {
    for (let index = 0; index < sites.length; index += 20) {
      const { page } = siteAt(index);
      const user = browser();
      const back = await user.visit((await user.visit(page)).location);
      expect(await user.visit(back.location)).to.include({ status: 302, location: page });
      const visit = async (at: string) => (await user.visit(at)).status;
      await refusedBeside({
        refused: () => visit(siteAt(index + 1).page),
        as: 302,
        allowed: () => visit(page),
        allowedAs: 200,
      });
      const [other, stranger] = [siteAt(index + 1), browser()];
      const theirs = await stranger.visit((await stranger.visit(other.page)).location);
      const ours = new URL((await stranger.visit((await stranger.visit(page)).location)).location);
      ours.searchParams.set("code", new URL(theirs.location).searchParams.get("code") ?? "");
      expect((await stranger.visit(ours.href)).status).to.be.within(400, 599);
      expect((await stranger.visit(page)).status).to.equal(302);
    }
  });
});
