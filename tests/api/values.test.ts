import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { apiOnOneDatabase, type Json, unknownId } from "../support/api/expect";
import { creds, destination, role, targets } from "../support/api/fixtures";
import { testValues } from "../support/api/values";
import { tableOf } from "../support/table";

apiOnOneDatabase("Values in other objects:", (server) => {
  const table = tableOf<({ type: string } & Parameters<typeof testValues>[2])[]>(__dirname, "values.yaml");
  for (const { type, ...values } of table) testValues(server, type, values);
  testValues(server, "a failover backend", {
    takes: ({ backends }) => [["backends", [backends, (backends as string[]).toReversed()]]],
    refuses: ({ backends }) => [
      ["backends", ["text", 5, { a: 1 }]],
      ["backends[1]", [5, true, { id: (backends as string[])[0] }]],
    ],
  });
  const onlyIn = (backends: unknown) => Object.keys(backends as Json)[0];
  testValues(server, "a weighted backend", {
    takes: ({ backends }) => [
      ["backends", [0, 1, 9_999, 10_000].map((n) => ({ [`${onlyIn(backends)}`]: n }))],
    ],
    refuses: ({ backends }) => [
      ["backends", ["text", 5, [onlyIn(backends)]]],
      [`backends.${onlyIn(backends)}`, [-1, 10_001, 1.5, "5", true, [5]]],
    ],
  });
  testValues(server, "a membership", {
    refuses: [
      [{ set: "bot_user_id" }, [undefined]],
      [{ set: "", at: "group" }, [{ group: "a" }]],
      ["role", ["metrics"]],
      [{ set: "", at: "user_id", code: "TP_1004" }, [{ bot_user_id: null, user_id: unknownId("usr") }]],
      [{ set: "", at: "project_id", code: "TP_1004" }, [{ project_id: unknownId("proj") }]],
    ],
    takes: [["project_id", [DEFAULT_PROJECT.id]]],
  });
  testValues(server, "a workload identity", {
    takes: [
      [
        "claims",
        [
          ...[
            ...["repo:acme/*", "repo:acme/infra:*", "acme/inf*", "{5f3}:*", "exact"],
            ...["project_path:group/*:ref:main"],
          ],
          ...["https://ci.example.com/*", "organization:acme:*", "system:serviceaccount:prod:*"],
        ].map((sub) => ({ sub, aud2: "*", email_verified: "true" })),
      ],
    ],
    refuses: [
      [
        "claims",
        [
          ...["*", "repo:acme*", "repo:*", "acme*", "repo:acme*/infra", "*:main", "/*"],
          ...["https://*", "https://ci*", "repo:/*", "repo://*", "::*", "system:serviceaccount:*"],
          ...["repo: /*", "repo:./*", "-:*", " ", "..."],
        ].map((sub) => ({ sub })),
        "such as",
      ],
      [
        "claims",
        [
          { aud: "https://tunnels.example.com" },
          { iss: "https://id.example.com" },
          { iss: "https://id.example.com", aud: "a", sub: "repo:*" },
          { exp: "1795951649", nbf: "0", iat: "0", jti: "a", typ: "ID" },
          { email_verified: "true", ref_protected: "false" },
        ],
      ],
      [{ set: "", at: "claims" }, [{ claims: {} }]],
      ["issuer", ["ftp://x", "https://id.example.com?x", "id.example.com"]],
      ["ttl", [59, 3601]],
    ],
  });
  testValues(server, "an API key", {
    base: { scopes: ["read"] },
    refuses: [
      ["scopes[0]", ["reads", "tls_edge", "tls_edge:plan", "tls_edges:read", "write:tls_edge", "", 7]],
      ["scopes[0]", ["tls_edge:wirte"], 'did you mean "tls_edge:write"'],
      [{ set: "scopes", at: "scopes[1]" }, [["read", "read"]]],
      ["expires_at", [new Date(Date.now() - 1000).toISOString(), "2020-01-31T08:00:00Z"], "future"],
      ["expires_at", ["tomorrow", "2027-01-31", 1800000000]],
    ],
  });

  const SERVICES = {
    stream_service: "stream_ref",
    delivery_service: "delivery_stream_ref",
    log_service: "log_group_ref",
  } as const;
  for (const [service, reference] of Object.entries(SERVICES)) {
    const of = (auth: object) => ({ target: { [service]: targets(auth)[service as keyof typeof SERVICES] } });
    const place = `target.${service}`;
    const right = String((targets() as Record<string, Json>)[service]?.[reference]);
    testValues(server, "an event destination", {
      what: `for a ${service} with a role`,
      base: of(role),
      refuses: [
        [place, ["text", 5, true]],
        [{ set: `${place}.auth` }, [{}, { role: null, creds: null }, { ...role, ...creds }], `${place}.auth`],
        [`${place}.auth`, [undefined]],
        [
          `${place}.${reference}`,
          [
            ...[undefined, "", 5, "events", "https://example.com/events", "arn:aws", role.role.role_ref],
            ...["x.evil.example", ""].map((region) => right.replace("eu-west-1", region)),
            right.replace("123456789012", "me"),
          ],
        ],
        [
          `${place}.auth.role.role_ref`,
          [5, "events", "https://example.com/events", "arn:aws", "arn:aws:iam::123456789012:user/events"],
        ],
      ],
    });
    testValues(server, "an event destination", {
      what: `for a ${service} with keys`,
      base: of(creds),
      refuses: Object.keys(creds.creds).map(
        (field) => [`${place}.auth.creds.${field}`, [undefined]] as const,
      ),
    });
  }
  const webhook = "target.webhook";
  testValues(server, "an event destination", {
    what: "for a webhook",
    base: {
      target: {
        ...Object.fromEntries(Object.keys(targets()).map((kind) => [kind, null])),
        webhook: targets().webhook,
      },
    },
    takes: [
      [`${webhook}.url`, ["https://hooks.slack.com/services/T0/B0/x?y=z"]],
      [`${webhook}.secret`, [24, 64].map((size) => `whsec_${Buffer.alloc(size, 7).toString("base64")}`)],
      [
        `${webhook}.headers`,
        [{}, { "x-team": "shop" }, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, "v"]))],
      ],
    ],
    refuses: [
      [webhook, ["text", 5]],
      [`${webhook}.url`, [undefined]],
      [
        `${webhook}.url`,
        [
          ...["http://hooks.example.com/x", "https://127.0.0.1/x", "https://[::1]/", "https://localhost/x"],
          ...["https://me:pw@hooks.example.com/x", "hooks.example.com", "ftp://hooks.example.com"],
        ],
      ],
      [
        `${webhook}.secret`,
        [
          ...["short", "whsec_", `whsec_${Buffer.alloc(23).toString("base64")}`],
          ...[`whsec_${Buffer.alloc(65).toString("base64")}`, Buffer.alloc(32).toString("base64")],
        ],
        "whsec_",
      ],
      [
        { set: `${webhook}.headers` },
        [
          ...[
            "Host",
            "content-length",
            "Content-Type",
            "Transfer-Encoding",
            "webhook-signature",
            "Webhook-Id",
          ],
          ...["a b", "ä"],
        ].map((name) => ({ [name]: "v" })),
      ],
      [
        { set: `${webhook}.headers` },
        [
          { "x-a": "line\nbreak" },
          { "x-a": "ü" },
          { "x-a": "1", "X-A": "2" },
          Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, "v"])),
        ],
      ],
    ],
  });
  const monitoring = "target.monitoring_service";
  testValues(server, "an event destination", {
    what: "for a monitoring_service",
    base: destination(),
    refuses: [
      [
        { set: "target" },
        [{}, Object.fromEntries(Object.keys(targets()).map((kind) => [kind, null]))],
        ...Object.keys(targets()),
      ],
      ["target", [undefined, "text", 5, [destination().target]]],
      ...Object.keys(SERVICES).map(
        (service) =>
          [
            { set: `target.${service}` },
            [targets(creds)[service as keyof typeof SERVICES]],
            ...[service, "monitoring_service"],
          ] as const,
      ),
      [{ set: "target" }, [targets(creds)], "target"],
      [
        { set: "target", at: "target.carrier_pigeon", code: "TP_1002" },
        [{ carrier_pigeon: { loft: "north" } }],
        ...Object.keys(targets()),
      ],
      [monitoring, ["text", 5, true]],
      [`${monitoring}.api_key`, [undefined]],
      ...Object.keys(targets().monitoring_service).map((field) => [`${monitoring}.${field}`, [5]] as const),
      [
        `${monitoring}.monitoring_site`,
        [
          ...[
            "us",
            "https://127.0.0.1",
            "http://datadoghq.eu",
            "datadoghq.eu/x",
            "datadoghq.eu:443",
            "me@datadoghq.eu",
            "127.0.0.1",
          ],
          "[::1]",
        ],
      ],
      ["format", ["xml", "JSON", "protobuf", 5], "json"],
    ],
  });
});
