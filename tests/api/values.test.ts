import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { apiOnOneDatabase, type Json, unknownId } from "../support/api/expect";
import { creds, destination, role, targets } from "../support/api/fixtures";
import { testValues } from "../support/api/values";

apiOnOneDatabase("Values in other objects:", (server) => {
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
  testValues(server, "an HTTP-response backend", {
    takes: [
      ["status_code", [418]],
      ["headers", [{ "content-type": "text/plain; charset=utf-8", "x-shop": "closed" }, { "x-three": "3" }]],
      ["body", ["Geschlossen\n閉店 🚇"]],
    ],
    refuses: [
      ["status_code", [-1, 1000, 200.5, "200", [200]], "status_code"],
      ["headers", ["x: 5", 5, ["x"]], "headers"],
      ["headers.shop", [5, true, ["x"]], "headers.shop"],
      ["body", [5, true, { a: 1 }], "body"],
    ],
  });
  testValues(server, "a static backend", {
    takes: [
      ["address", ["example.com:443", "10.0.0.1:80", "a-b.example.com:1", "example.com:65535"]],
      ["tls", [{ enabled: true }, { enabled: false }]],
      ["protocol", ["auto", "http1", "http2"]],
      ["idle_timeout", [1, 300, 86_400]],
    ],
    refuses: [
      [
        "address",
        [
          ...["example.com", ":80", "example.com:", "example.com:0", "example.com:65536", "example.com:http"],
          ...["https://example.com:443", "example.com:80/path", "exam ple.com:80", 80, undefined],
        ],
        "address",
      ],
      ["tls.enabled", ["true", 1, []]],
      ["protocol", ["http/2", "h2c", 2]],
      ["idle_timeout", [0, -1, 86_401, 1.5, "300"]],
    ],
  });
  testValues(server, "a tunnel-group backend", {
    takes: [
      ["labels", [{ app: "shop", "team/name": "Bezahlung – 支払い", constructor: "x" }, { app: "till" }]],
    ],
    refuses: [
      [{ set: "labels" }, [{ "a=b": "c" }, { a: "b=c" }, { a: "=" }], "=", "labels"],
      ["labels", ["app=shop", 5, ["app"]]],
      ["labels.app", [5, true, ["shop"], { name: "shop" }]],
    ],
  });

  testValues(server, "an IP policy rule", {
    takes: [
      ["cidr", ["10.0.0.0/8", "192.0.2.1/32", "0.0.0.0/0", "2001:db8::/32", "2001:db8::1/128", "::/0"]],
      ["action", ["allow", "deny"]],
    ],
    refuses: [
      ...[
        ["10.0.0.1/8", "10.0.0.0/8"],
        ["192.168.1.0/16", "192.168.0.0/16"],
        ["2001:db8::1/32", "2001:db8::/32"],
        ["192.0.2.1", "192.0.2.1/32"],
        ["2001:db8::1", "2001:db8::1/128"],
      ].map(([wrong, right = ""]) => ["cidr", [wrong], right] as const),
      [
        "cidr",
        [
          ...[
            ...["", "/8", "example.com/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8"],
            ...["256.0.0.0/8"],
          ],
          ...["2001:db8::/129", "1::2::/64", 5, undefined],
        ],
        "cidr",
      ],
      ["action", ["block", "ALLOW", 5], "allow", "deny"],
      ["action", [undefined], "action"],
      ["ip_policy_id", [5, undefined], "ip_policy_id"],
    ],
  });

  const [created, deleted] = ["ip_policy_created.v0", "ip_policy_deleted.v0"];
  testValues(server, "an event subscription", {
    base: { sources: [{ type: created }, { type: deleted }] },
    refuses: [
      [
        "sources[1].type",
        [
          ...["", "nothing_created.v0", "ip_policy_created", "ip_policy_created.v1", "ip_policy_renamed.v0"],
          ...["IP_POLICY_CREATED.v0", "*", 5, undefined],
        ],
      ],
      [{ set: "sources" }, [[created, deleted, created].map((type) => ({ type }))], "sources[2]"],
      ["sources", ["text", 5, { type: created }]],
      ["sources[1]", [created, 5, [created]]],
      [{ set: "sources[1].colour", at: "sources[1].colour", code: "TP_1002" }, ["red"], "type"],
      ["destination_ids", ["ed_1", 5, {}]],
    ],
  });

  const fields = { expect: "refused", addresses: ["app.example.org:443"] };
  testValues(server, "a guarantee", {
    base: { ...fields, networks: ["10.0.0.0/8"], except_networks: ["192.0.2.0/24"] },
    refuses: [
      ["except_networks", [["10.0.0.0/7"]]],
      ["addresses[0]", ["app.example.org", "app.example.org:0", "a.*.example.org:443", "app:443/a?b"]],
      ["addresses", [[]]],
      ...["networks", "except_networks"].map(
        (field) => [`${field}[0]`, ["10.0.0.0", "10.0.0.0/33", "everywhere", "::/129", "\u202e"]] as const,
      ),
    ],
  });

  testValues(server, "a reserved domain", {
    refuses: [
      ["domain", ["", "a b.example.com", "*", "*.*.example.com", "app.example.com:443", "192.0.2.1"]],
      ["certificate_management_policy.authority", ["buypass"], "letsencrypt"],
    ],
  });

  testValues(server, "a project", { refuses: [["name", ["Team", "a b", "x".repeat(41), "ä"]]] });
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
