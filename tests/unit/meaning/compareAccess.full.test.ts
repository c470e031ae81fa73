import { compareAccess, UNKNOWN, type World } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import {
  agent,
  authority,
  declared,
  edge,
  inbound,
  mutual,
  policy,
  restricted,
  route,
  SITE,
  serving,
  site,
  tokensOf,
  world,
} from "./worlds";

type Fields = Record<string, unknown>;

const tokenOf = (change: Fields = {}): Fields => ({
  jwt_validation: { ...tokensOf("https://issuer.test/", "https://issuer.test/keys"), ...change },
});

/** The comparison in short. */
function compared(before: World, after: World) {
  const { verdict, opened, closed, moved, unproved } = compareAccess(before, after);
  const changes = [...opened, ...closed, ...moved].map(({ address, example }) => ({ address, example }));
  return {
    verdict,
    ...(changes.length > 0 && { changes }),
    ...(unproved.length > 0 && { unproved: unproved.map(({ address, reason }) => `${address}: ${reason}`) }),
  };
}
const NOTHING = { verdict: "opens nothing" };

describe("comparing what two worlds let in", () => {
  it("finds whom a new hostport shuts out", () => {
    const wild = serving("wild", "*.w.test:443", mutual("ca"));
    const fresh = serving("fresh", "a.w.test:443", mutual("other"));
    const others = [agent, authority("ca"), authority("other")];
    const { closed, opened } = compareAccess(world(wild, others), world(wild, fresh, others));
    expect(closed.map(({ example }) => example.request.client_certificate)).to.eql([
      { authority: "certificate_authority_ca" },
    ]);
    expect(opened.map(({ everyone }) => everyone)).to.eql([false]);
  });

  it("finds the addresses that a wider network lets in, and whether everybody may", () => {
    const from = (...rules: string[]) => world(site(restricted("office")), policy("office", ...rules));
    const { opened } = compareAccess(from("allow 10.0.0.0/8"), from("allow 0.0.0.0/1"));
    expect(opened.map(({ example, everyone }) => [example.request.from, everyone])).to.eql([
      ["1.0.0.1", false],
    ]);
    const wide = compareAccess(from("allow 10.0.0.0/8"), from("allow 0.0.0.0/1", "allow 128.0.0.0/1"));
    expect(wide.opened.map(({ example, everyone }) => [example.request.from, everyone])).to.eql([
      ["198.51.100.7", true],
    ]);
    const same = from("allow 10.0.0.0/9", "allow 10.128.0.0/9");
    expect(compared(from("allow 10.0.0.0/8"), same)).to.eql(NOTHING);
    expect(compared(same, from("allow 10.0.0.0/9"))).to.deep.include(NOTHING);
  });

  it("finds each way of being accepted that is new", () => {
    const changed = (change: Fields) => compareAccess(world(site(tokenOf())), world(site(tokenOf(change))));
    for (const change of [
      { audience: { allow_list: [{ value: "api" }, { value: "web" }] } },
      { issuer: { allow_list: [{ value: "https://other.test/" }] } },
      {
        jws: {
          allowed_algorithms: ["ES256"],
          keys: { sources: { additional_jkus: ["https://issuer.test/keys"] } },
        },
      },
      {
        jws: {
          allowed_algorithms: ["RS256"],
          keys: { sources: { additional_jkus: ["https://evil.test/keys"] } },
        },
      },
      { http: { tokens: [{ type: "jwt", method: "header", name: "x-token", prefix: "" }] } },
    ])
      expect(
        changed(change).opened.map(({ everyone }) => everyone),
        JSON.stringify(change),
      ).to.eql([false]);
    const signIn = (client_id: string) =>
      world(site({ oidc: { issuer: "https://id.test", client_id, client_secret: "s", scopes: [] } }));
    const { opened } = compareAccess(signIn("a"), signIn("b"));
    expect(opened.map(({ example }) => example.request.session)).to.eql([
      { issuer: "https://id.test", client_id: "b" },
    ]);
    expect(compareAccess(signIn("a"), world(site())).opened.map(({ everyone }) => everyone)).to.include(true);
  });

  it("finds what older TLS, other user agents and other headers let in", () => {
    const tls = (min_version: string) => world(site({}, { tls_termination: { min_version } }));
    expect(compareAccess(tls("1.3"), tls("1.2")).opened.map(({ example }) => example.request.tls)).to.eql([
      "1.2",
    ]);
    const agents = (...deny: string[]) => world(site({ user_agent_filter: { allow: [], deny } }));
    const { opened } = compareAccess(agents("(?i)bot", "^$"), agents("(?i)bot"));
    expect(opened.map(({ example }) => example.request.user_agent)).to.eql([undefined]);
    const team = (name: string) => world(site(inbound([[`req.headers["x-team"] != "${name}"`], "deny"])));
    const teams = compareAccess(team("blue"), team("red"));
    expect(teams.opened.map(({ example }) => example.request.headers)).to.eql([{ "x-team": "red" }]);
    expect(teams.closed.map(({ example }) => example.request.headers)).to.eql([{ "x-team": "blue" }]);
  });

  it("decides filters of a hundred patterns, and policies of many tests", () => {
    const bots = Array.from({ length: 100 }, (_, number) => `(?i)bot${7 * number}/[0-9]+`);
    const filter = (deny: string[]) => world(site({ user_agent_filter: { allow: [], deny } }));
    const { opened, unproved } = compareAccess(filter(bots), filter(bots.slice(1)));
    expect(opened.map(({ example }) => example.request.user_agent)).to.eql(["bot0/0"]);
    expect(unproved).to.eql([]);
    const words = Array.from({ length: 30 }, (_, number) => `req.path.contains("word-${number}-")`);
    const denying = (some: string[]) => world(site(inbound([[some.join(" || ")], "deny"])));
    const policies = compareAccess(denying(words), denying(words.slice(1)));
    expect(policies.opened.map(({ example }) => example.request.path)).to.eql(["/word-0-"]);
    expect(policies.unproved).to.eql([]);
  });

  it("does not multiply what a check before refuses, or no decision looks at", () => {
    const names = Array.from({ length: 24 }, (_, number) => `req.headers["x-${number}"] == "a"`);
    const denying = (some: string[]) => world(site({ ...tokenOf(), ...inbound([some, "deny"]) }));
    const { verdict, combinations } = compareAccess(denying(names.slice(1)), denying(names));
    expect([verdict, combinations < 200]).to.eql(["opens", true]);
  });

  const all = (count: number, clause: (number: number) => string, join = " && ") =>
    Array.from({ length: count }, (_, number) => clause(number)).join(join);
  const either = (number: number, other = "y") =>
    `(req.headers["x-${number}"] == "a" || req.headers["${other}-${number}"] == "a")`;
  const denying = (...expressions: string[]) =>
    world(site(inbound(...expressions.map((one): [string[], string] => [[one], "deny"]))));

  it("does not multiply headers by which only the same condition is decided", () => {
    const shapes = [
      all(16, either),
      all(16, (number) => either(number).replace("||", "&&"), " || "),
      `!(${all(16, either)})`,
      all(16, (number) => `(req.path.startsWith("/${number}-") || req.headers["x-${number}"] == "a")`),
      all(16, (number) => `(req.headers["x-${number}"] == "a" || req.headers["x-${number + 1}"] == "b")`),
    ];
    for (const shape of shapes) {
      const narrower = `${shape} && req.headers["new"] == "a"`;
      const { verdict, combinations, opened } = compareAccess(denying(shape), denying(narrower));
      expect([verdict, combinations < 2_000], shape).to.eql(["opens", true]);
      const [example] = opened.map((one) => one.example);
      expect([example?.before.outcome, example?.after.outcome]).to.eql(["refused", "answered"]);
      expect(compareAccess(denying(narrower), denying(shape)).verdict).to.equal("opens nothing");
      expect(compareAccess(denying(shape, narrower), denying(shape)).verdict).to.equal("opens nothing");
    }
  });

  it("gives up after two million evaluations, and says so", () => {
    // Each condition shares headers with others, so no condition stands for them.
    const sharing = (count: number) =>
      denying(
        all(count, either),
        all(count, (number) => either(number, "z")),
      );
    const { verdict, unproved, combinations } = compareAccess(sharing(18), sharing(17));
    expect([verdict, combinations < 200_000]).to.eql(["unproved", true]);
    expect(unproved[0]?.reason).to.include("more combinations of requests");
    expect(compareAccess(sharing(18), sharing(17)).combinations).to.equal(combinations);
  });

  it("finds that policies of a wildcard ask for the name", () => {
    const wild = (expression: string): World =>
      world(site(inbound([[expression], "deny"]), { hostports: ["*.w.test:443"] }));
    const { opened } = compareAccess(
      wild('!req.host.startsWith("a")'),
      wild('!req.host.endsWith("b.w.test")'),
    );
    expect(opened.map(({ example }) => example.request.address)).to.eql(["b.w.test:443"]);
  });

  it("finds who has a token for both of two audiences, and moves", () => {
    const asking = (audience: string, status_code: number) =>
      world(
        ...site(tokenOf({ audience: { allow_list: [{ value: audience }] } })).slice(0, 2),
        declared("http_response_backend", "ok", { status_code }),
      );
    const [moved] = compareAccess(asking("api", 200), asking("web", 201)).moved;
    expect(moved?.example.request.token).to.have.property("audiences").that.has.members(["api", "web"]);
  });

  it("knows the paths that are the gateway's own while routes sign users in", () => {
    const oidc = { issuer: "https://id.test", client_id: "a", client_secret: "s", scopes: [] };
    const { opened } = compareAccess(world(site(), route("/a", { oidc })), world(site(), route("/a")));
    expect(opened.map(({ example }) => example.request.path)).to.eql(["/.tunnelplane/", "/a"]);
  });

  it("finds nothing where nothing changes for callers", () => {
    const before = world(site(), route("/admin", tokenOf()), policy("office", "allow 10.0.0.0/8"));
    const reversed = { objects: [...before.objects].reverse() };
    expect(compareAccess(before, reversed)).to.deep.include({ ...NOTHING, combinations: 0 });
    const described = world(
      site({ description: "All." }),
      route("/admin", tokenOf()),
      policy("office", "allow 10.0.0.0/8"),
    );
    expect(compareAccess(before, described)).to.deep.include({ ...NOTHING, combinations: 0 });
    const first = compareAccess(world(site()), before);
    expect(compareAccess(world([...site()].reverse()), reversed)).to.eql(first);
  });

  it("says what it cannot prove, and why", () => {
    const large = inbound([['req.headers["x-a"].matches("a.{14}b")'], "deny"]);
    const large2 = inbound([['req.headers["x-a"].matches("a.{15}b")'], "deny"]);
    expect(compared(world(site(large)), world(site(large2)))).to.eql({
      verdict: "unproved",
      unproved: [
        `${SITE}/: the header \`x-a\` has tests that are too large to compare: matches "a.{14}b", matches "a.{15}b": they have more than 5000 states`,
      ],
    });
    const notYet = compared(
      world(site(restricted("office")), policy("office", "allow 10.0.0.0/8")),
      world(site(restricted("office")), policy("office", `allow ${UNKNOWN}`)),
    );
    expect(notYet).to.eql({
      verdict: "unproved",
      unproved: [`${SITE}/: Which networks are admitted is not wholly known.`],
    });
    const nameless = compareAccess(world(agent), world(edge({ hostports: [UNKNOWN] }), agent));
    expect(nameless.unproved).to.eql([
      { address: "(not known yet: app)", reason: "Not all of its hostports are known." },
    ]);
  });

  it("prefers what surely opens to what it cannot prove", () => {
    const large = inbound([['req.headers["x-a"].matches("a.{14}b")'], "deny"]);
    expect(compared(world(site({ ...large, ...tokenOf() })), world(site(large))).verdict).to.equal("opens");
    expect(compared(world(site(tokenOf()), route("/x", large)), world(site())).verdict).to.equal("opens");
  });
});
