import { apiOnOneDatabase, unique } from "../support/api/expect";
import { jwtValidation, oidc, policyNamed } from "../support/api/modules";
import { testValues } from "../support/api/values";

const UINT32_MAX = 4_294_967_295;
const domain = `${unique("valid")}.example.com`;
const respond = { type: "custom-response", config: { status_code: 503 } };
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

  testValues(server, "an HTTPS edge", {
    base: { tls_termination: {} },
    takes: [
      ["tls_termination.min_version", ["1.2", "1.3"]],
      ["escaped_slashes", ["reject", "keep"]],
    ],
    refuses: [
      ["escaped_slashes", ["decode", true]],
      ["hostports[1]", ["example.com:0", "sub.*.example.com:443"], "hostports[1]"],
      ["tls_termination.min_version", ["1.0", "1.4", "TLSv1.2", 1.2]],
    ],
  });

  testValues(server, "an HTTPS edge route", {
    takes: [
      ["match", ["/a", "/a/b.html", "/a/"]],
      ["match_type", ["exact_path", "path_prefix"]],
      ["policies", [{ inbound: [{ ...policyNamed("closed"), actions: [respond] }], outbound: [] }]],
    ],
    base: { policies: { inbound: [{ ...policyNamed("fine"), actions: [respond, respond] }] } },
    refuses: [
      ["match", [undefined, "", "a", "a/b", "*", "https://example.com/", " /a", 5, ["/b"]], "match"],
      ["match_type", ["regex", "EXACT_PATH", "prefix", 5], "exact_path", "path_prefix"],
      ["match_type", [undefined]],
      ["policies.inbound[0].actions[1].type", ["explode"], "custom-response"],
      ["webhook_verification.provider", ["sendgrid"]],
      [
        { set: "webhook_verification", at: "webhook_verification.provider" },
        [{ provider: "sendgrid", secret: "s" }],
      ],
      [
        { set: "webhook_verification", at: "webhook_verification.secret" },
        ["whsec_", "a secret", "whsec_a b"].map((secret) => ({ provider: "svix", secret })),
        "must be `whsec_` and base64 for the provider svix",
      ],
    ],
  });

  testValues(server, "an HTTPS edge route", {
    what: "with a sign-in",
    base: { oidc },
    takes: [
      ["oidc.issuer", ["https://id.example.com", "https://id.example.com:8443/realms/shop"]],
      ["oidc.scopes", [["openid", "email", "api:read"]]],
      ["oidc.client_secret", [oidc.client_secret]],
      ["oidc", [{ ...oidc, inactivity_timeout: UINT32_MAX, maximum_duration: UINT32_MAX }]],
      ["oidc", [{ ...oidc, inactivity_timeout: 600, maximum_duration: 600 }]],
    ],
    refuses: [
      ...["issuer", "client_id", "client_secret"].map(
        (field) => [`oidc.${field}`, [undefined, "", 5, ["x"]], field] as const,
      ),
      [
        "oidc.issuer",
        [
          ...["id.example.com", "//id.example.com", "/realms/shop", "http://id.example.com"],
          ...["ftp://id.example.com", "https://"],
        ],
        "https",
      ],
      ...["inactivity_timeout", "maximum_duration"].map(
        (field) => [`oidc.${field}`, [UINT32_MAX + 1, -1, 1.5, "60", true], field] as const,
      ),
      [
        { set: "oidc" },
        [{ ...oidc, inactivity_timeout: 601, maximum_duration: 600 }],
        "inactivity_timeout",
        "maximum_duration",
      ],
      [{ set: "oidc.scopes", at: "oidc.scopes[1]" }, [["openid", 5]]],
      ["oidc.scopes", ["openid"]],
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

  const patterns = [
    ...["(?i)bot", "^Mozilla/5\\.0 ", "(foo|bar)+?", "[[:alpha:]]{2,8}", "(?P<name>curl)/\\d+"],
    ...["\\p{Greek}", "🚇"],
  ];
  testValues(server, "an HTTPS edge route", {
    what: "with patterns for user agents, which are RE2's,",
    base: { user_agent_filter: { allow: ["fine"], deny: ["fine"] } },
    takes: [
      ["user_agent_filter.allow", [patterns]],
      ["user_agent_filter.deny", [patterns]],
    ],
    refuses: ["allow", "deny"].flatMap((list) => {
      const place = `user_agent_filter.${list}`;
      const wrong = [
        ...["bot(?=/2)", "bot(?!/2)", "(?<=x)bot", "(?<!x)bot", "(a)\\1", "(?P<n>a)(?P=n)", "(?>a)"],
        ...["(", "[a", "*", "a{1001}", 5],
      ];
      return [
        [`${place}[1]`, wrong, `${list}[1]`],
        [place, ["bot"]],
      ] as const;
    }),
  });
});
