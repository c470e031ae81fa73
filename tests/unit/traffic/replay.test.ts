import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import type { TrafficCertificate, TrafficEntry, TrafficReplay } from "@tunnelplane/sdk/traffic";
import { replayTraffic } from "@tunnelplane/sdk/traffic";
import {
  agent,
  declared,
  foreign,
  inbound,
  mutual,
  policy,
  restricted,
  route,
  serving,
  site,
  tokensOf,
  world,
} from "../meaning/worlds";
import { trafficLine } from "./lines";

const replay = (before: World, after: World, ...entries: TrafficEntry[]): Promise<TrafficReplay> =>
  replayTraffic(entries, { before, after });
const counts = ({ requests, refused, opened, moved, unknown }: TrafficReplay) => ({
  requests,
  refused,
  opened,
  moved,
  unknown,
});
/** What a change does to one request: `refused`, or nothing. */
const fateOf = async (before: World, after: World, entry: TrafficEntry): Promise<string> => {
  const { refused, opened, moved, unknown } = await replay(before, after, entry);
  return Object.entries({ refused, opened, moved, unknown })
    .filter(([, count]) => count > 0)
    .map(([kind]) => kind)
    .join();
};

const HOUR = "2026-11-22T15:00:00Z";
const OPEN = world(site());
const TOKEN = { jwt_validation: tokensOf("https://id.example.com", "https://id.example.com/jwks") };
const office = (...cidrs: string[]) =>
  world(site(restricted("office")), policy("office", ...cidrs.map((cidr) => `allow ${cidr}`)));

describe("Recorded traffic, decided before and after a change,", () => {
  it("has an example for each cause, the most frequent first", async () => {
    const before = world(site(), route("/api"), route("/admin"));
    const after = world(
      site(),
      route("/api", TOKEN),
      route("/admin", restricted("office")),
      policy("office"),
    );
    const { examples } = await replay(
      before,
      after,
      trafficLine({ path: "/api/1", count: 2 }),
      trafficLine({ path: "/api/2", count: 3 }),
      trafficLine({ path: "/admin", count: 7 }),
    );
    expect(examples.map(({ requests, sentence }) => `${requests} × ${sentence}`)).to.deep.equal([
      "7 × `GET www.example.com:443/admin` from 198.51.100.0/24: 200 → 403",
      "5 × `GET www.example.com:443/api/1` from 198.51.100.0/24 without a token: 200 → 401",
    ]);
  });

  it("is not decided where a rule looks at what is not recorded, and says at what", async () => {
    const team = world(site(inbound([['req.headers["x-team"] == "red"'], "deny"])));
    const found = await replay(OPEN, team, trafficLine({ count: 17 }), { hour: HOUR, count: 3, other: true });
    expect(counts(found)).to.include({ requests: 20, refused: 0, unknown: 20 });
    expect(found.reasons).to.deep.equal([
      { reason: "A policy asks for the header `x-team`, not recorded.", requests: 17 },
      { reason: "Only their number is recorded.", requests: 3 },
    ]);
    expect(found.sentence).to.contain(
      "20 cannot be decided: a policy asks for the header `x-team`, not recorded, and 1 other reason.",
    );
    const agents = world(site({ user_agent_filter: { allow: [], deny: ["curl"] } }));
    expect(await fateOf(OPEN, agents, trafficLine({ user_agent: "curl/8" }))).to.equal("refused");
    expect(await fateOf(OPEN, agents, trafficLine({ user_agent: "unknown" }))).to.equal("unknown");
    expect(await fateOf(OPEN, world(site(TOKEN)), trafficLine({ token: "unknown" }))).to.equal("unknown");
    expect(await fateOf(office("198.51.0.0/16"), office("198.51.100.0/25"), trafficLine())).to.equal(
      "unknown",
    );
  });

  it("with a path that was left out in part is decided where no rule looks at that part", async () => {
    const before = world(site(), route("/api"), route("/api/users/all", {}, "exact_path"));
    const after = world(site(), route("/api", TOKEN), route("/api/users/all", TOKEN, "exact_path"));
    expect(await fateOf(before, after, trafficLine({ path: "/api/…/x" }))).to.equal("refused");
    expect(await fateOf(before, after, trafficLine({ path: "/web/…" }))).to.equal("");
    const suffix = (text: string) => world(site(inbound([[`req.path.endsWith("${text}")`], "deny"])));
    expect(await fateOf(OPEN, suffix("/edit"), trafficLine({ path: "/docs/…/edit" }))).to.equal("refused");
    expect(await fateOf(OPEN, suffix(".php"), trafficLine({ path: "/docs/…/edit" }))).to.equal("");
    expect(await fateOf(OPEN, suffix(".php"), trafficLine({ path: "/docs/…" }))).to.equal("unknown");
    const exact = world(site(), route("/docs/…".replace("…", "a"), TOKEN, "exact_path"));
    expect(await fateOf(OPEN, exact, trafficLine({ path: "/docs/…" }))).to.equal("unknown");
  });

  describe("finds the authority of a client certificate", () => {
    const PEM = (text: string) => ({ ca_pem: `-----BEGIN CERTIFICATE-----${text}-----END CERTIFICATE-----` });
    const ca = (name: string, subject: string, pem: string): WorldObject =>
      declared("certificate_authority", name, { subject_common_name: subject, not_after: "x", ...PEM(pem) });
    const of = (authority: string, subject?: string): TrafficEntry =>
      trafficLine({
        client_certificate: { authority, ...(subject !== undefined && { subject }) } as TrafficCertificate,
      });
    const strict = (...objects: WorldObject[]) => world(site({}, mutual("ours")), objects);

    it("by its id", async () => {
      const id = "certificate_authority_ours";
      expect(await fateOf(OPEN, strict(ca("ours", "Ours", "1")), of(id, "Other"))).to.equal("");
      expect(await fateOf(OPEN, strict(ca("ours", "Ours", "1")), of("other", "Ours"))).to.equal("refused");
    });

    it("by its subject, where no authority has the id: of another server, or new", async () => {
      const made = { ...ca("ours", "Ours", "1"), id: undefined };
      expect(await fateOf(OPEN, strict(made), of("ca_elsewhere", "Ours"))).to.equal("");
      expect(await fateOf(OPEN, strict(made), of("ca_elsewhere", "Theirs"))).to.equal("refused");
      expect(await fateOf(OPEN, strict(made), of("ca_elsewhere"))).to.equal("refused");
    });

    it("and not one that has another certificate under the same name", async () => {
      const [was, is] = [strict(ca("ours", "Ours", "1")), strict(ca("ours", "Ours", "2"))];
      const { sentence } = await replay(was, is, of("certificate_authority_ours"));
      expect(sentence).to.contain("with a client certificate of `ours`: 200 → closed");
      const twins = strict(
        ca("ours", "Ours", "1"),
        foreign("certificate_authority", "ca_2", {
          subject_common_name: "Ours",
          not_after: "x",
          ...PEM("2"),
        }),
      );
      expect(await fateOf(OPEN, twins, of("ca_elsewhere", "Ours"))).to.equal("unknown");
    });
  });

  it("is counted in bounded memory, however many causes there are", async () => {
    const names = Array.from({ length: 1500 }, (_, number) => `a${number}.example.com:443`);
    const edges = (fields: Record<string, unknown>) =>
      world(
        names.map((name, number) => serving(`edge${number}`, name, fields)),
        policy("office"),
        agent,
      );
    const found = await replay(
      edges({}),
      edges(restricted("office")),
      ...names.map((address, number) =>
        trafficLine({ address, count: number + 1, path: null, method: null }),
      ),
    );
    expect(found.refused).to.equal((1500 * 1501) / 2);
    expect(found.examples).to.have.length(10);
    expect(found.examples[0]?.requests).to.be.greaterThan(1500);
  });
});
