import { runReview } from "../review/support";
import { changesOf, failureOf, worldOfThisFile } from "../support/provider";
import { NAMES, PROVIDERS } from "../support/providers";
import { MOVABLE_CLOCK } from "../support/server";
import { admittedIdentity, StandInTokenIssuer, secondsFromNow } from "../support/tokenIssuer";

const THREE_HOURS_S = 3 * 60 * 60;

describe("A pipeline with an identity token and no API key", () => {
  const { world, server } = worldOfThisFile({ args: ["--allow-private-targets"], env: MOVABLE_CLOCK });
  let issuer: StandInTokenIssuer;
  before("start an issuer", async () => {
    issuer = await StandInTokenIssuer.start();
  });

  it("previews, reviews and runs, with keys that end before the run does", async () => {
    await admittedIdentity(server.rest, issuer, { audiences: [server.url], ttl: 60 });
    const token = issuer.token({ aud: server.url, exp: secondsFromNow(THREE_HOURS_S) });
    const env = { TUNNELPLANE_IDENTITY_TOKEN: token, TUNNELPLANE_VALIDATE_ON_SERVER: "true" };
    /** How many keys were exchanged since the last call. */
    let counted = 0;
    const exchanges = async (): Promise<number> => {
      const rows = (await server.rest.get("/audit_events")).body.audit_events;
      const all = rows.filter(
        ({ action }: { action: string }) => action === "identity_token_exchanged",
      ).length;
      const before = counted;
      counted = all;
      return all - before;
    };
    let isRun = false;
    const stack = await world.stack(
      { url: server.url, apiKey: "" },
      async () => {
        for (const name of NAMES) {
          const { IpPolicy, IpPolicyRule } = PROVIDERS[name];
          const policy = new IpPolicy(`${name}-policy`);
          // The keys of the policies end while the run goes on.
          const ipPolicyId = policy.id.apply((id) => {
            if (isRun && name === NAMES[0]) server.passAnHour();
            return id;
          });
          new IpPolicyRule(`${name}-rule`, { ipPolicyId, cidr: "192.0.2.0/24", action: "allow" });
        }
      },
      { env },
    );
    const preview = await stack.previewJson();
    expect(await exchanges(), "of the preview, by each provider").to.equal(NAMES.length);
    const review = await runReview(["-"], {
      input: preview,
      env: { TUNNELPLANE_BASE_URL: server.url, ...env },
    });
    expect(review.code, review.stderr + review.stdout).to.equal(0);
    expect(await exchanges(), "of the review").to.equal(1);
    isRun = true;
    const created = NAMES.flatMap((name) => [`create ${name}-policy`, `create ${name}-rule`]);
    expect(changesOf(await stack.up())).to.have.members(created);
    expect(await exchanges(), "of the run, by each provider, and again").to.be.above(NAMES.length);
    const { IpPolicy } = PROVIDERS.dynamic;
    const stranger = issuer.token({ aud: server.url, sub: "repo:evil/infra" });
    const other = await world.stack({ url: server.url, apiKey: "" }, async () => void new IpPolicy("p"), {
      env: { TUNNELPLANE_IDENTITY_TOKEN: stranger },
    });
    expect(await failureOf(other.up())).to.contain(
      `${server.url} refused the identity token from TUNNELPLANE_IDENTITY_TOKEN`,
    );
  });
});
