import { checkWarnings, definitionOf } from "@tunnelplane/sdk/contract";
import { RE2JS } from "re2js";
import { isOfFullOrder } from "../../../sdk/src/contract/formats/ed25519";
import { programSize } from "../../../sdk/src/contract/formats/patternSize";
import { blobOf, sshKey } from "../../support/api/fixtures";

const PATTERNS = [
  ...[
    ...["a", "a|b|c", "(x{0,10}){0,10}", "x{1000}", "(a|b|c|){3,}", "(a*)*", "(a+)+?"],
    ...["(?:a{2,3}){4}", "(?P<name>ab)?", "(){300}"],
  ],
  ...[
    ...["\\Q(x{\\E{5}", "[]a]{7}", "a{0}", "a{,5}", "(((((a))))){50}", "[[:alpha:]]{9}"],
    ...["(?i:ab){100}", "((a|b){5}|c){9}", "a{3}?b??"],
  ],
  ...[
    ...["\\bcurl/[\\d.]+$", "(?s:.){30}", "日本{20}", "(?:a|b){0,300}", "(?:(?:|x)|){0,90}"],
    ...["[^\\pL]{3}\\p{Greek}+", "(|a){0,90}"],
  ],
];

describe("The contract's checks of formats", () => {
  it("never underestimate the size of a pattern's program", () => {
    for (const pattern of PATTERNS)
      expect(programSize(pattern), pattern).to.be.at.least(RE2JS.compile(pattern).programSize());
  });

  it("warn of conditions that no gateway serves, and of no others", () => {
    const warningsOf = (...expressions: string[]) => {
      const policies = { inbound: [{ expressions, actions: [{ type: "deny", config: {} }] }] };
      return checkWarnings(definitionOf("tls_edge"), { policies }, () => false);
    };
    const served =
      "req.method in ['GET'] && !(req.headers['x'] == 'y' || conn.tls.sni.endsWith('.com')) && inCidrRange(conn.ClientIP, '10.0.0.0/8')";
    expect(warningsOf("true", served)).to.deep.equal([]);
    const [warning, ...others] = warningsOf("true", "geo.country == 'NZ' && size(req.path) > 3");
    expect(others).to.deep.equal([]);
    expect(warning?.path).to.deep.equal(["policies", "inbound", 0, "expressions", 1]);
    expect(warning?.message).to.include("geo.country, size()").and.to.include("no gateway serves");
  });

  it("accept Ed25519 keys from ssh-keygen, and refuse points of small order and bytes that are no point", () => {
    for (let i = 0; i < 5; i++) expect(isOfFullOrder(blobOf(sshKey().openssh).subarray(-32))).to.equal(true);
    // One of order 8, one that is on no curve, and one that could be written shorter.
    for (const hex of [
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      `02${"00".repeat(31)}`,
      `ee${"ff".repeat(30)}7f`,
    ])
      expect(isOfFullOrder(Buffer.from(hex, "hex")), hex).to.equal(false);
  });
});
