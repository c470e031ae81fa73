import {
  camelCasePath,
  createSchema,
  definitionNamed,
  definitionOf,
  didYouMean,
  formatPath,
  nameAndId,
  rename,
  validateCreate,
} from "@tunnelplane/sdk/contract";

describe("A path in an error", () => {
  it('has the usual form, such as labels["a-b"]', () => {
    expect(formatPath(["hostports", 0])).to.equal("hostports[0]");
    expect(formatPath(["tls_termination", "min_version"])).to.equal("tls_termination.min_version");
    expect(formatPath(["labels", "a-b"])).to.equal('labels["a-b"]');
  });

  it("cuts very long names", () => {
    expect(formatPath(["x".repeat(5000)])).to.have.length.below(150);
  });
});

describe("A name", () => {
  it("stands before the id of its object, on one line; without a name, there is the id alone", () => {
    expect(nameAndId("shop", "edgtls_1")).to.equal('"shop" (edgtls_1)');
    expect(nameAndId('a "b"\nc', "edgtls_1")).to.equal('"a \\"b\\"\\nc" (edgtls_1)');
    for (const none of [undefined, null, "", "edgtls_1"])
      expect(nameAndId(none, "edgtls_1")).to.equal("edgtls_1");
  });
});

describe("A misspelled name", () => {
  it("is answered with the known names that are most like it, if any is", () => {
    const known = ["tls-edges", "https-edges", "bot-users"];
    expect(didYouMean("tls-egdes", known)).to.equal('; did you mean "tls-edges"?');
    expect(didYouMean("Users", known)).to.equal('; did you mean "bot-users"?');
    expect(didYouMean("edges", known)).to.equal('; did you mean "tls-edges" or "https-edges"?');
    expect(didYouMean("pipelines", known)).to.equal("");
    expect(didYouMean("tls-edges".repeat(1_000_000), known)).to.equal("");
  });

  it("is looked up for the first fields of an object, and not for a hundred thousand", () => {
    const misspelled = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`metadata${index}`, "x"]),
    );
    const { problems } = validateCreate(definitionOf("ip_policy"), misspelled);
    expect(problems).to.have.length(100);
    expect(problems.filter(({ message }) => message.includes("did you mean"))).to.have.length(3);
  });
});

describe("The settings of an action", () => {
  const schema = createSchema(definitionNamed("tls_edge"));
  const policies = (name: string, config: object) => ({
    [name]: { inbound: [{ actions: [{ type: "rate-limit", config }] }] },
  });
  const sent = policies("policies", { capacity: 5, bucket_key: ["conn.client_ip"] });

  it("may be spelled in a program as elsewhere, or as the API does, and names that users choose stay", () => {
    const camel = policies("policies", { capacity: 5, bucketKey: ["conn.client_ip"] });
    for (const declared of [camel, sent]) expect(rename(schema, declared, "wire")).to.deep.equal(sent);
    expect(rename(schema, sent, "camelCase")).to.deep.equal(camel);
    const both = policies("policies", { bucketKey: ["req.host"], bucket_key: ["conn.client_ip"] });
    expect(rename(schema, both, "wire"), "neither wins").to.deep.equal(both);
    const { problems } = validateCreate(definitionNamed("tls_edge"), both);
    expect(problems.map(({ message }) => message).join()).to.contain("in both spellings");
    const log = {
      policies: { inbound: [{ actions: [{ type: "log", config: { metadata: { teamName: 1 } } }] }] },
    };
    expect(rename(schema, log, "wire")).to.deep.equal(log);
    const path = ["policies", "inbound", 0, "actions", 0, "config", "bucket_key", 1];
    expect(formatPath(camelCasePath(schema, path))).to.equal(
      "policies.inbound[0].actions[0].config.bucketKey[1]",
    );
  });
});
