import { definitionOf, durationSeconds, fieldsOfForm, validateCreate } from "@tunnelplane/sdk/contract";

type Json = Record<string, unknown>;
const route = definitionOf("https_edge_route");
const whole = (fields: Json) => ({ edge_id: "edghts_1", match_type: "path_prefix", match: "/", ...fields });
const problemsOf = (fields: Json) => validateCreate(route, whole(fields)).problems;
const action = (type: string, config: Json) => ({ policies: { inbound: [{ actions: [{ type, config }] }] } });
const limit = (config: Json) => action("rate-limit", { name: "all", capacity: 1, rate: "1s", ...config });
const answer = (config: Json) => action("custom-response", { status_code: 200, ...config });
const response = (fields: Json) => validateCreate(definitionOf("http_response_backend"), fields).problems;
const oidc = (cookie_prefix: string) => ({
  oidc: { issuer: "https://id.example.com", client_id: "a", client_secret: "b", cookie_prefix },
});

/** The same value is right or wrong in every body that becomes a part of Envoy's configuration. */
describe("The preview already refuses values that Envoy could not read:", () => {
  const refuses = (fields: Json, field: string, words: string): void => {
    const [first] = problemsOf(fields);
    expect(first?.path.join("."), words).to.equal(field);
    expect(first?.message).to.include(words);
  };
  const takes = (fields: Json): void => void expect(problemsOf(fields)).to.deep.equal([]);
  const config = "policies.inbound.0.actions.0.config";

  it("a rate-limit of more than 1,000,000 requests or 24 hours, whatever its unit", () => {
    for (const capacity of [0, 1_000_001, 5_000_000_000, 1.5])
      refuses(limit({ capacity }), `${config}.capacity`, "must be");
    for (const rate of ["0s", "25h", "86401s", "1441m", "99999999999999h", "1d", "1h30m", "-1s", ""])
      refuses(limit({ rate }), `${config}.rate`, '"1s" to "24h"');
    for (const rate of ["1s", "86400s", "1440m", "24h"]) takes(limit({ rate, capacity: 1_000_000 }));
  });

  it("a status of a response below 200 or above 599", () => {
    for (const status_code of [100, 199, 600]) {
      refuses(answer({ status_code }), `${config}.status_code`, "must be at");
      expect(response({ status_code })).to.have.length(1);
    }
    for (const status_code of [200, 599]) {
      takes(answer({ status_code }));
      expect(response({ status_code })).to.deep.equal([]);
    }
  });

  it("headers of a response beside RFC 9110, those that frame it, and one name twice", () => {
    const wrong: [Json, string][] = [
      [{ "a b": "1" }, "no name of"],
      [{ "": "1" }, "no name of"],
      [{ ":path": "1" }, "no name of"],
      [{ "Content-Length": "1" }, "gateway writes itself"],
      [{ host: "a" }, "gateway writes itself"],
      [{ "transfer-encoding": "chunked" }, "gateway writes itself"],
      [{ "x-a": "a\r\nb: c" }, "control character"],
      [{ "x-a": "a\u0007" }, "control character"],
      [{ "x-a": " a" }, "space"],
      [{ "x-a": "a".repeat(8193) }, "8192 bytes"],
      [{ "x-a": "1", "X-A": "2" }, "more than once"],
    ];
    for (const [headers, words] of wrong) {
      expect(problemsOf(answer({ headers }))[0]?.message, words).to.include(
        words.replace("no name of", "is not a name of"),
      );
      expect(response({ headers })[0]?.message).to.include(words.replace("no name of", "is not a name of"));
    }
    const right = { "x-a": "100% größe\t, b", "Set-Cookie": "a=b" };
    takes(answer({ headers: right }));
    expect(response({ headers: right })).to.deep.equal([]);
  });

  it("a cookie's prefix that is not a token, or longer than 64 bytes", () => {
    for (const prefix of ["a b", "a;b", "a=b", "ä", "a\n"])
      refuses(oidc(prefix), "oidc.cookie_prefix", "the name of a cookie");
    refuses(oidc("a".repeat(65)), "oidc.cookie_prefix", "at most 64 bytes");
    for (const prefix of ["", "shop_", "a".repeat(64)]) takes(oidc(prefix));
  });

  it("a path that no request arrives at, or longer than 1,024 bytes", () => {
    const wrong = [
      ...["a", "//", "/a//b", "/.", "/a/..", "/a/./b", "/a?b", "/a#", "/a;b", "/a\\b", "/a%2fb"],
      ...["/a%5Cb", "/a%3bb", "/é"],
    ];
    for (const match of [...wrong, "/a b", "/a%", "/a%zz", "/%41", "/%7e", "/.tunnelplane/x"])
      expect(problemsOf({ match })[0]?.path, match).to.deep.equal(["match"]);
    refuses({ match: `/${"a".repeat(1024)}` }, "match", "at most 1024 bytes");
    for (const match of [
      "/",
      "/a/",
      "/a.b",
      "/..a",
      "/a%C3%A9%25",
      "/~a-_!$&'()*+,=:@",
      `/${"a".repeat(1023)}`,
    ])
      takes({ match });
  });

  it("a pattern with an open quotation, and a rewrite to a group that its pattern has not", () => {
    const rewrite = (from: string, to: string) => action("url-rewrite", { from, to });
    refuses({ user_agent_filter: { deny: ["\\Qcurl"] } }, "user_agent_filter.deny.0", "\\E");
    refuses(rewrite("(", "/"), `${config}.from`, "not a regular expression");
    refuses(rewrite("^/a/(.*)$", "/$2"), config, "$2");
    for (const to of ["/$1", "/$$2", "/x"]) takes(rewrite("^/a/(.*)$", to));
  });

  it("a token's header that is none; EdDSA is an algorithm", () => {
    const jwt = (name: string, method = "header") => ({
      jwt_validation: {
        issuer: { allow_list: [{ value: "https://id.example.com" }] },
        audience: { allow_list: [{ value: "api" }] },
        http: { tokens: [{ type: "jwt", method, name, prefix: "Bearer " }] },
        jws: {
          allowed_algorithms: ["EdDSA"],
          keys: { sources: { additional_jkus: ["https://id.example.com/jwks"] } },
        },
      },
    });
    refuses(jwt("x y"), "jwt_validation.http.tokens.0.name", "HTTP header");
    takes(jwt("X-Token"));
    takes(jwt("x y", "body"));
  });
});

describe("A time", () => {
  const ends = (expires_at: string) => validateCreate(definitionOf("api_key"), { expires_at });

  it("may be written with t and z, and with a leap second, which is the second after it", () => {
    for (const [written, kept] of [
      ["2027-01-31t08:00:00z", "2027-01-31T08:00:00Z"],
      ["2027-01-31t09:00:00.5+01:00", "2027-01-31T09:00:00.5+01:00"],
      ["2028-12-31T23:59:60Z", "2029-01-01T00:00:00Z"],
      ["2029-01-01T00:59:60.25+01:00", "2029-01-01T00:00:00Z"],
    ] as const)
      expect(ends(written))
        .to.deep.include({ problems: [] })
        .and.to.have.nested.property("value.expires_at", kept);
  });

  it("adds up as a length of days, hours, minutes and seconds", () => {
    expect(["8h", "1d12h30m5s"].map(durationSeconds)).to.deep.equal([28_800, 131_405]);
  });

  it("has no second 60 but at the end of a day in UTC", () => {
    for (const written of [
      ...["2028-12-31T22:59:60Z", "2028-12-31T23:58:60Z", "2028-12-31T23:59:61Z"],
      "2028-12-31T23:59:60+01:00",
    ])
      expect(ends(written).problems, written).to.have.length(1);
  });

  it("is kept in whole seconds where it bounds a certificate", () => {
    const certificate = definitionOf("ssh_host_certificate");
    const { value } = validateCreate(certificate, {
      valid_after: "2027-01-31T08:00:00.999z",
      valid_until: "2027-02-01T08:00:00Z",
    });
    expect(value).to.include({ valid_after: "2027-01-31T08:00:00Z", valid_until: "2027-02-01T08:00:00Z" });
  });
});

describe("A form that strangers send", () => {
  it("has the fields that URLSearchParams reads, for any text", () => {
    const parts = ["a", "=", "&", "+", "%", "%41", "%e2%82%ac", "%ff", "%2", "%26", "%3D", " ", "\0"];
    for (const a of parts)
      for (const b of parts)
        for (const c of parts) {
          const text = [a, b, c, b, a].join("");
          expect(fieldsOfForm(text, 100), JSON.stringify(text)).to.deep.equal([...new URLSearchParams(text)]);
        }
    expect(fieldsOfForm("\u20ac=%2&%zz\u20ac", 2)).to.deep.equal([
      ["\u20ac", "%2"],
      ["%zz\u20ac", ""],
    ]);
  });

  it("is not read if it has more fields than are asked for, empty ones included", () => {
    expect(fieldsOfForm("a=1&b=2&c", 3)).to.have.length(3);
    for (const form of ["a=1&b=2&c&d", "&&&", "&".repeat(1_048_576), "a&".repeat(500_000)])
      expect(fieldsOfForm(form, 3), form.slice(0, 12)).to.equal(undefined);
  });
});
