import { compareAccess, decisions, isLetIn, UNKNOWN, type World } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { size } from "../../support/size";
import { tokenOf } from "./changes";
import { agent, edge, inbound, policy, restricted, route, SITE, site, world } from "./worlds";

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

describe("comparing what two worlds let in", () => {
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

  it("does not multiply headers that several conditions share, in whichever clauses", () => {
    const partners = [
      (number: number) => `z-${number}`,
      (number: number) => `y-${number + 1}`,
      (number: number) => `y-${(7 * number + 3) % 18}`,
    ];
    for (const partner of partners) {
      const clause = (number: number) =>
        `(req.headers["x-${number}"] == "a" || req.headers["${partner(number)}"] == "a")`;
      const sharing = (count: number) => denying(all(count, either), all(count, clause));
      const { verdict, combinations } = compareAccess(sharing(18), sharing(17));
      expect([verdict, combinations < 20], clause(0)).to.eql(["opens nothing", true]);
      const { opened, unproved } = compareAccess(sharing(17), sharing(18));
      expect([opened[0]?.example.before.outcome, unproved]).to.eql(["refused", []]);
    }
  });

  it("finds exactly what a trial of all values of all headers finds, for any conditions on them", () => {
    const names = ["x-a", "x-b", "x-c", "x-d"];
    const test = fc.oneof(
      fc
        .tuple(fc.constantFrom(...names), fc.constantFrom("a", "b"))
        .map(([name, value]) => [name, "==", value]),
      fc.constantFrom(...names).map((name) => [name, "!=", ""]),
    );
    const { condition } = fc.letrec<{ condition: string }>((tie) => ({
      condition: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        test.map(([name, op, value]) => `req.headers["${name}"] ${op} "${value}"`),
        fc.constant('req.method == "POST"'),
        tie("condition").map((inner) => `!(${inner})`),
        fc
          .tuple(fc.array(tie("condition"), { minLength: 2, maxLength: 4 }), fc.constantFrom(" && ", " || "))
          .map(([members, join]) => `(${members.join(join)})`),
      ),
    }));
    const policies = fc.array(fc.tuple(condition, fc.constantFrom("deny", "log")), { maxLength: 3 });
    const values = ["", "a", "b", "c"];
    const all = values.flatMap((a) =>
      values.flatMap((b) => values.flatMap((c) => values.map((d) => [a, b, c, d]))),
    );
    const requests = all.flatMap((row) =>
      ["GET", "POST"].map((method) => ({
        ...{ address: SITE, from: "198.51.100.7", method },
        headers: Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])),
      })),
    );
    const worldOf = (some: [string, string][]) =>
      world(site(inbound(...some.map(([one, action]): [string[], string] => [[one], action]))));
    fc.assert(
      fc.property(policies, policies, (some, others) => {
        const [before, after] = [worldOf(some), worldOf(others)];
        const [was, is] = [decisions(before), decisions(after)];
        const opens = requests.some((one) => !isLetIn(was.decide(one)) && isLetIn(is.decide(one)));
        const { verdict, opened } = compareAccess(before, after);
        expect(verdict).to.equal(opens ? "opens" : "opens nothing");
        for (const { example } of opened) {
          expect(was.decide(example.request)).to.eql(example.before);
          expect(is.decide(example.request)).to.eql(example.after);
        }
      }),
      { seed: 20261129, numRuns: size(300, 5_000) },
    );
  });

  it("gives up after two million evaluations, and says so", () => {
    // A net of clauses has no part that could be decided apart from the others.
    const at = (row: number, column: number) => `req.headers["x-${row}-${column}"] == "a"`;
    const net = Array.from(
      { length: 400 },
      (_, number) => [Math.floor(number / 20), number % 20] as const,
    ).flatMap(([row, column]) => [
      `(${at(row, column)} || ${at(row, column + 1)})`,
      `(${at(row, column)} || ${at(row + 1, column)})`,
    ]);
    const asking = (clauses: string[]) => world(site(inbound([clauses, "deny"])));
    const { verdict, unproved, combinations } = compareAccess(asking(net), asking(net.slice(1)));
    expect([verdict, combinations < 200_000]).to.eql(["unproved", true]);
    expect(unproved[0]?.reason).to.include("more combinations of requests");
    expect(compareAccess(asking(net), asking(net.slice(1))).combinations).to.equal(combinations);
    expect(compareAccess(asking(net.slice(0, 8)), asking(net.slice(1, 8))).verdict).to.equal("opens nothing");
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
