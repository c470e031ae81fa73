import { apiOnOneDatabase, unique } from "../support/api/expect";
import { jwtValidation, oidc, policyNamed } from "../support/api/modules";
import { testValues } from "../support/api/values";

const domain = `${unique("valid")}.example.com`;
const several = {
  ...policyNamed("second"),
  expressions: ["a", "b"],
  actions: [
    { type: "log", config: {} },
    { type: "deny", config: {} },
  ],
};
const UNKNOWN_NAMES = ["geo.country in ['NZ'] && hasReqHeader('x')", "req.headers['x'].matches('^a')"];
const DIRECTIONS = ["inbound", "outbound"];
const policies = { inbound: [policyNamed("first"), several], outbound: [several, policyNamed("first")] };

apiOnOneDatabase("Values in edges:", (server) => {
  testValues(server, "a TLS edge", {
    base: { tls_termination: {}, policies },
    takes: [
      ["hostports", [["1", "65535", "443"].map((port) => `${domain}:${port}`)]],
      ["hostports", [[`*.${domain}:443`, `a-b.c.${domain}:8443`]]],
      ["policies", [policies, { ...policies, inbound: [] }]],
      ["policies.inbound[1].expressions", [["conn.client_ip == '192.0.2.1'"], UNKNOWN_NAMES]],
      [
        "policies.inbound[1].actions[0].config.metadata",
        [{ team: { name: "shop", on_call: [1, true, null] } }],
      ],
    ],
    refuses: [
      [
        "hostports[1]",
        [
          ...["", "example.com", ":443", "example.com:", "example.com:0", "example.com:65536"],
          ...["example.com:-1", "example.com:4.43", "example.com:https", "example.com:443/path"],
          ...["https://example.com:443", "sub.*.example.com:443", "*.*.example.com:443", "*example.com:443"],
          ...["exam ple.com:443", "example..com:443", ".example.com:443", "-example.com:443"],
          ...[`${"a".repeat(64)}.example.com:443`, 443],
        ],
        "hostports[1]",
      ],
      ["hostports[1]", ["bücher.example:443", "*.BÜCHER.example:443"], "xn--bcher-kva.example:443"],
      ["hostports", ["example.com:443", 443, { host: "example.com" }]],
      ["tls_termination.terminate_at", ["moon", "EDGE", 5], "edge", "upstream"],
      ["tls_termination.min_version", ["1.0", "1.1", "1.4", "TLSv1.2", 1.2], "1.2", "1.3"],
      ...DIRECTIONS.flatMap((direction) => {
        const policy = `policies.${direction}[1]`;
        return [
          [`${policy}.actions[0].type`, ["explode", undefined]],
          [`${policy}.actions[0].config`, ["403", []]],
          [`${policy}.expressions`, ["true"]],
          [`${policy}.expressions[0]`, [5]],
          [`${policy}.name`, [5]],
        ] as const;
      }),
      ["policies.inbound[1].expressions[1]", ["req.path =="], "character 12"],
      ["policies.inbound[1].expressions[1]", ["a = b"], "character 3"],
      ["policies.inbound[1].expressions[1]", ["'open"], "character 1"],
      ["policies.inbound[1].expressions[1]", [`${"(".repeat(500)}a${")".repeat(500)}`], "100 deep"],
      ["policies.inbound[1].expressions[1]", [`${"!".repeat(500)}a`], "100 deep"],
      ["policies.inbound[1].expressions[1]", ["a".repeat(4097)], "4096 bytes"],
      ["policies.inbound[1].actions[0].config.metadata", ["text", 5, [1], { a: "x".repeat(4096) }]],
    ],
  });

  const texts = Array.from({ length: 32 }, (_, index) => `${index}`.padEnd(255, "é"));
  const most = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`c${index}`, texts]));
  const some = { "a.b.c": ["*", "x y"], "https://example.com/a..b": ["1"], email_verified: ["true"] };
  for (const [module, fields] of Object.entries({ oidc, jwt_validation: jwtValidation })) {
    const claims = `${module}.require_claims`;
    testValues(server, "an HTTPS edge route", {
      what: `with claims in its ${module}`,
      base: { [module]: fields },
      takes: [[claims, [most, some, {}]]],
      refuses: [
        [claims, [["email"]], "must be an object"],
        [`${claims}.email`, ["ann@example.com"], "must be a list"],
        [`${claims}.email`, [[]], "must not be empty"],
        [{ set: `${claims}.email`, at: `${claims}.email[1]` }, [["a", ""]], "must not be empty"],
        [{ set: `${claims}.level`, at: `${claims}.level[0]` }, [[3]], "must be a string"],
        [{ set: `${claims}.a`, at: `${claims}.a[1]` }, [["x", "x"]], "repeats entry 0"],
        [{ set: claims, at: `${claims}[""]` }, [{ "": ["x"] }], "must not be empty"],
        ...["realm.", "a..b"].map(
          (name) => [`${claims}["${name}"]`, [["x"]], "a dot leads into an object"] as const,
        ),
        [`${claims}["a.b.c.d.e.f.g.h.i"]`, [["x"]], "9 levels; at most 8"],
        [{ set: `${claims}.${"n".repeat(256)}` }, [["x"]], "at most 255 characters"],
        [{ set: `${claims}.a`, at: `${claims}.a[0]` }, [["é".repeat(256)]], "at most 255 characters"],
        [`${claims}.a`, [Array.from({ length: 33 }, String)], "at most 32 entries"],
        [claims, [{ ...most, more: ["x"] }], "at most 16 entries"],
      ],
    });
  }

  const token = jwtValidation.http.tokens[0];
  const LISTS = {
    "issuer.allow_list": { value: "https://id.example.com" },
    "audience.allow_list": { value: "shop" },
    "http.tokens": token,
    "jws.allowed_algorithms": "RS256",
    "jws.keys.sources.additional_jkus": "https://id.example.com/jwks",
  };
  const algorithms = "jwt_validation.jws.allowed_algorithms";
  const tokens = "jwt_validation.http.tokens";
  testValues(server, "an HTTPS edge route", {
    what: "with a check of tokens",
    base: { jwt_validation: jwtValidation },
    takes: [
      [
        tokens,
        ["jwt", "at+jwt", "it+jwt"].flatMap((type) =>
          ["header", "body"].map((method) => [{ ...token, type, method }]),
        ),
      ],
      ["jwt_validation.issuer.allow_list", [[{ value: "http://id.example.com" }]]],
      [algorithms, [["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"]]],
    ],
    refuses: [
      ...Object.entries(LISTS).flatMap(([path, entry]) => {
        const list = `jwt_validation.${path}`;
        const [part = ""] = path.split(".");
        return [
          [{ set: `jwt_validation.${part}` }, [undefined], part],
          [list, [undefined, [], "text", { 0: entry }], path],
          [{ set: list }, [[entry, entry]], path],
          [{ set: list, at: `${list}[1]` }, [5, null, [entry]].map((wrong) => [entry, wrong])],
        ] as const;
      }),
      ...[
        ["type", "id_token", "JWT"],
        ["method", "cookie", "query"],
        ["name", 5],
        ["prefix", 5],
      ].map(([field, ...wrong]) => [`${tokens}[1].${field}`, wrong] as const),
      [{ set: `${tokens}[1].cookie`, at: `${tokens}[1].cookie`, code: "TP_1002" }, ["x"], "prefix"],
      [`${algorithms}[1]`, ["HS256", "HS384", "HS512", "none", "rs256", "RS1", ""], "ES256"],
      [
        "jwt_validation.jws.keys.sources.additional_jkus[1]",
        ["http://id.example.com/jwks", "id.example.com/jwks", "/jwks", ""],
        "https",
      ],
    ],
  });
});
