import { expect } from "chai";
import {
  expectRefused,
  inUse,
  invalid,
  type Json,
  type Refusal,
  serverOfThisFile,
  unique,
  unknownField,
} from "../support/api/expect";
import { jwtValidation, type ModuleName, oidc, policyNamed } from "../support/api/modules";
import { onOneDatabase } from "../support/databases";
import type { RestAnswer } from "../support/rest";

const UINT32_MAX = 4_294_967_295;

/**
 * A copy in which the value at the path, for example `jws.allowed_algorithms`, is another; undefined: is
 * missing.
 */
function changed(object: object, path: string, value: unknown): Json {
  const [first = "", ...rest] = path.split(".");
  const inner = (object as Json)[first];
  return { ...object, [first]: rest.length > 0 ? changed(inner as object, rest.join("."), value) : value };
}

onOneDatabase("The modules of an HTTPS edge's route", (start) => {
  const server = serverOfThisFile(start);

  const routeWith = (modules: Json) => ({ match_type: "path_prefix", match: `/${unique()}`, ...modules });
  const route = (modules: Json = {}) => server.created("/edges/https/{edge_id}/routes", routeWith(modules));

  /** Tries a module at its own address, in an update and in a creation of its route: all are refused. */
  const expectModuleRefused = async (
    name: ModuleName,
    wrong: unknown,
    { field, ...refusal }: Refusal,
  ): Promise<void> => {
    const { uri } = await route();
    const inRoute = { ...refusal, field: field && `${name}.${field}` };
    expectRefused(await server.unchangedBy(uri, () => server.rest.put(`${uri}/${name}`, wrong)), {
      ...refusal,
      field,
    });
    expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, { [name]: wrong })), inRoute);
    expectRefused(
      await server.rest.post("/edges/https/{edge_id}/routes", routeWith({ [name]: wrong })),
      inRoute,
    );
  };

  /** Stores a module and returns it as it is answered and as it is read. */
  const stored = async (name: ModuleName, body: unknown): Promise<RestAnswer["body"]> => {
    const at = `${(await route()).uri}/${name}`;
    const answer = await server.rest.put(at, body);
    expect(answer.status, answer.text).to.equal(200);
    expect(await server.read(at)).to.deep.equal(answer.body);
    return answer.body;
  };

  it("an object that a route refers to is not deleted, and the error names the route", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { app: "shop" } });
    const policy = await server.created("/ip_policies", {});
    const { id, uri } = await route({
      backend: { backend_id: backend.id },
      ip_restriction: { ip_policy_ids: [policy.id] },
    });
    for (const used of [backend, policy])
      expectRefused(await server.unchangedBy(used.uri, () => server.rest.delete(used.uri)), inUse(id));
    await server.rest.delete(uri);
    for (const used of [backend, policy]) expect((await server.rest.delete(used.uri)).status).to.equal(204);
  });

  describe("oidc:", () => {
    it("the client secret is in the answers to writes and to reads", async () => {
      expect((await stored("oidc", oidc)).client_secret).to.equal(oidc.client_secret);
    });

    for (const field of ["issuer", "client_id", "client_secret"])
      it(`${field} is required, and it is a string`, async () => {
        for (const wrong of [undefined, "", 5, ["x"]])
          await expectModuleRefused("oidc", { ...oidc, [field]: wrong }, invalid(field, field));
      });

    it("a refusal does not repeat the client secret", async () => {
      const answer = await server.rest.put(`${(await route()).uri}/oidc`, {
        ...oidc,
        issuer: "nonsense",
        scopes: [5],
      });
      expectRefused(answer, invalid());
      expect(answer.text).not.to.include(oidc.client_secret);
    });

    it("an issuer is an absolute https URL", async () => {
      for (const issuer of ["https://id.example.com", "https://id.example.com:8443/realms/shop"])
        expect((await stored("oidc", { ...oidc, issuer })).issuer).to.equal(issuer);
      for (const issuer of [
        "",
        "id.example.com",
        "//id.example.com",
        "/realms/shop",
        "http://id.example.com",
        "ftp://id.example.com",
        "https://",
      ])
        await expectModuleRefused("oidc", { ...oidc, issuer }, invalid("issuer", "https"));
    });

    it("timeouts are unsigned 32-bit numbers", async () => {
      const timeouts = { inactivity_timeout: UINT32_MAX, maximum_duration: UINT32_MAX };
      expect(await stored("oidc", { ...oidc, ...timeouts })).to.include(timeouts);
      for (const field of Object.keys(timeouts))
        for (const wrong of [UINT32_MAX + 1, -1, 1.5, "60", true])
          await expectModuleRefused("oidc", { ...oidc, [field]: wrong }, invalid(field, field));
    });

    it("a session ends by inactivity no later than by its maximum duration", async () => {
      const equal = { inactivity_timeout: 600, maximum_duration: 600 };
      expect(await stored("oidc", { ...oidc, ...equal })).to.include(equal);
      const longer = { ...oidc, inactivity_timeout: 601, maximum_duration: 600 };
      await expectModuleRefused("oidc", longer, invalid(undefined, "inactivity_timeout", "maximum_duration"));
    });

    it("scopes are kept in their order, and they are strings", async () => {
      const scopes = ["openid", "email", "api:read"];
      expect((await stored("oidc", { ...oidc, scopes })).scopes).to.deep.equal(scopes);
      await expectModuleRefused("oidc", { ...oidc, scopes: ["openid", 5] }, invalid("scopes[1]"));
      await expectModuleRefused("oidc", { ...oidc, scopes: "openid" }, invalid("scopes"));
    });
  });

  describe("require_claims of oidc and jwt_validation:", () => {
    const modules = { oidc, jwt_validation: jwtValidation };
    const NAMES = Object.keys(modules) as (keyof typeof modules)[];
    const asking = (name: keyof typeof modules, require_claims: unknown): Json => ({
      ...modules[name],
      require_claims,
    });
    const refused: [what: string, claims: unknown, field: string | undefined, said: string][] = [
      ["no object", ["email"], "require_claims", "must be an object"],
      [
        "a text in the place of a list",
        { email: "ann@example.com" },
        "require_claims.email",
        "must be a list",
      ],
      ["an empty list", { email: [] }, "require_claims.email", "must not be empty"],
      ["an empty text", { email: ["a", ""] }, "require_claims.email[1]", "must not be empty"],
      ["a number", { level: [3] }, "require_claims.level[0]", "must be a string"],
      ["the same text twice", { a: ["x", "x"] }, "require_claims.a[1]", "repeats entry 0"],
      ["no name", { "": ["x"] }, 'require_claims[""]', "must not be empty"],
      ["a dot at the end", { "realm.": ["x"] }, 'require_claims["realm."]', "a dot leads into an object"],
      ["two dots in a row", { "a..b": ["x"] }, 'require_claims["a..b"]', "a dot leads into an object"],
      [
        "many levels",
        { "a.b.c.d.e.f.g.h.i": ["x"] },
        'require_claims["a.b.c.d.e.f.g.h.i"]',
        "9 levels; at most 8",
      ],
      ["a long name", { ["n".repeat(256)]: ["x"] }, undefined, "at most 255 characters"],
      ["a long text", { a: ["é".repeat(256)] }, "require_claims.a[0]", "at most 255 characters"],
      ["many texts", { a: Array.from({ length: 33 }, String) }, "require_claims.a", "at most 32 entries"],
      [
        "many claims",
        Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`c${index}`, ["x"]])),
        "require_claims",
        "at most 16 entries",
      ],
    ];
    for (const [what, claims, field, said] of refused)
      it(`${what} is refused, with its place`, async () => {
        for (const name of NAMES) await expectModuleRefused(name, asking(name, claims), invalid(field, said));
      });

    it("are kept as they were sent, up to every limit, and absent ones are answered as {}", async () => {
      const texts = Array.from({ length: 32 }, (_, index) => `${index}`.padEnd(255, "é"));
      const most = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`c${index}`, texts]));
      const some = { "a.b.c": ["*", "x y"], "https://example.com/a..b": ["1"], email_verified: ["true"] };
      for (const name of NAMES) {
        for (const claims of [most, some])
          expect((await stored(name, asking(name, claims))).require_claims).to.deep.equal(claims);
        for (const none of [{}, undefined, null])
          expect((await stored(name, asking(name, none))).require_claims).to.deep.equal({});
      }
    });
  });

  describe("jwt_validation:", () => {
    const jwtWith = (path: string, value: unknown): Json => changed(jwtValidation, path, value);
    const [issuer, token, algorithm] = [
      { value: "https://id.example.com" },
      jwtValidation.http.tokens[0],
      "RS256",
    ];
    const LISTS = {
      "issuer.allow_list": issuer,
      "audience.allow_list": { value: "shop" },
      "http.tokens": token,
      "jws.allowed_algorithms": algorithm,
      "jws.keys.sources.additional_jkus": "https://id.example.com/jwks",
    };

    for (const [path, entry] of Object.entries(LISTS)) {
      it(`${path} is required, and it is a list that is not empty`, async () => {
        await expectModuleRefused(
          "jwt_validation",
          jwtWith(path.split(".")[0] ?? "", undefined),
          invalid(undefined, path.split(".")[0] ?? ""),
        );
        for (const wrong of [undefined, [], "text", { 0: entry }])
          await expectModuleRefused("jwt_validation", jwtWith(path, wrong), invalid(path, path));
      });

      it(`${path} has no duplicates`, async () => {
        await expectModuleRefused("jwt_validation", jwtWith(path, [entry, entry]), invalid(undefined, path));
      });

      it(`${path} has no invalid entries`, async () => {
        for (const wrong of [5, null, [entry]])
          await expectModuleRefused("jwt_validation", jwtWith(path, [entry, wrong]), invalid(`${path}[1]`));
      });
    }

    it("the place of a token is a named header or field of the body, and its type is one of three", async () => {
      for (const type of ["jwt", "at+jwt", "it+jwt"])
        for (const method of ["header", "body"]) {
          const tokens = [{ type, method, name: "Authorization", prefix: "Bearer " }];
          expect((await stored("jwt_validation", jwtWith("http.tokens", tokens))).http.tokens).to.deep.equal(
            tokens,
          );
        }
      for (const [field, wrong] of [
        ["type", "id_token"],
        ["type", "JWT"],
        ["method", "cookie"],
        ["method", "query"],
        ["name", 5],
        ["prefix", 5],
      ] as const) {
        const tokens = [token, { ...token, [field]: wrong }];
        await expectModuleRefused(
          "jwt_validation",
          jwtWith("http.tokens", tokens),
          invalid(`http.tokens[1].${field}`),
        );
      }
      const tokens = [{ ...token, cookie: "x" }];
      await expectModuleRefused(
        "jwt_validation",
        jwtWith("http.tokens", tokens),
        unknownField("http.tokens[0].cookie", "prefix"),
      );
    });

    it("only the asymmetric algorithms of RFC 7518 are allowed for signatures", async () => {
      const path = "jws.allowed_algorithms";
      const all = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"];
      expect((await stored("jwt_validation", jwtWith(path, all))).jws.allowed_algorithms).to.deep.equal(all);
      for (const wrong of ["HS256", "HS384", "HS512", "none", "rs256", "RS1", ""])
        await expectModuleRefused(
          "jwt_validation",
          jwtWith(path, ["RS256", wrong]),
          invalid(`${path}[1]`, "ES256"),
        );
    });

    it("URLs of signing keys must begin with https", async () => {
      const path = "jws.keys.sources.additional_jkus";
      for (const wrong of ["http://id.example.com/jwks", "id.example.com/jwks", "/jwks", ""])
        await expectModuleRefused(
          "jwt_validation",
          jwtWith(path, ["https://id.example.com/jwks", wrong]),
          invalid(`${path}[1]`, "https"),
        );
    });
  });

  describe("user_agent_filter:", () => {
    for (const list of ["allow", "deny"]) {
      it(`${list} takes every pattern of RE2, and stores it as sent`, async () => {
        const patterns = [
          "(?i)bot",
          "^Mozilla/5\\.0 ",
          "(foo|bar)+?",
          "[[:alpha:]]{2,8}",
          "(?P<name>curl)/\\d+",
          "\\p{Greek}",
          "🚇",
        ];
        expect((await stored("user_agent_filter", { [list]: patterns }))[list]).to.deep.equal(patterns);
      });

      it(`${list} refuses look-around, back-references and other patterns that RE2 refuses, and names their place`, async () => {
        for (const pattern of [
          "bot(?=/2)",
          "bot(?!/2)",
          "(?<=x)bot",
          "(?<!x)bot",
          "(a)\\1",
          "(?P<n>a)(?P=n)",
          "(?>a)",
          "(",
          "[a",
          "*",
          "a{1001}",
        ])
          await expectModuleRefused(
            "user_agent_filter",
            { [list]: ["fine", pattern] },
            invalid(`${list}[1]`, `${list}[1]`),
          );
      });

      it(`${list} is a list of strings`, async () => {
        await expectModuleRefused("user_agent_filter", { [list]: "bot" }, invalid(list));
        await expectModuleRefused("user_agent_filter", { [list]: ["bot", 5] }, invalid(`${list}[1]`));
      });
    }
  });

  describe("policies:", () => {
    const respond = { type: "custom-response", config: { status_code: 503 } };

    it("may answer with a response of their own, unlike those of TLS edges", async () => {
      const policies = {
        enabled: true,
        inbound: [{ ...policyNamed("closed"), actions: [respond] }],
        outbound: [],
      };
      expect(await stored("policies", policies)).to.deep.equal(policies);
    });

    it("refuse an action of an unknown type, and name its place", async () => {
      for (const direction of ["inbound", "outbound"]) {
        const wrong = { ...policyNamed("wrong"), actions: [respond, { type: "explode", config: {} }] };
        const field = `${direction}[1].actions[1].type`;
        await expectModuleRefused(
          "policies",
          { [direction]: [policyNamed("fine"), wrong] },
          invalid(field, field, "custom-response"),
        );
      }
    });
  });

  it("a webhook's secret is needed once: a module without it is refused until one is stored, and keeps it then", async () => {
    const { id } = await server.created("/edges/https", {});
    const path = `/edges/https/${id}/routes`;
    const body = { match_type: "path_prefix", match: "/" };
    const webhook = { provider: "github" };
    const missing = invalid("webhook_verification.secret", "none is stored yet");
    expectRefused(await server.rest.post(path, { ...body, webhook_verification: webhook }), missing);
    const route = (await server.rest.post(path, body)).body;
    expectRefused(await server.rest.put(`${route.uri}/webhook_verification`, webhook), invalid());
    expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
    const stored = { ...webhook, enabled: true, secret: null };
    const first = await server.rest.put(`${route.uri}/webhook_verification`, { ...webhook, secret: "s" });
    expect(first.body).to.deep.equal(stored);
    const second = await server.rest.put(`${route.uri}/webhook_verification`, { provider: "slack" });
    expect(second.body).to.deep.equal({ ...stored, provider: "slack" });
    await server.rest.delete(`${route.uri}/webhook_verification`);
    expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
  });

  it("webhook_verification: a secret for Svix is base64, also one that is kept from another service", async () => {
    const key = "whsec_b2Y=";
    const refusal = invalid("secret", "must be `whsec_` and base64 for the provider svix");
    for (const secret of ["whsec_", "a secret", "whsec_a b"])
      await expectModuleRefused("webhook_verification", { provider: "svix", secret }, refusal);
    const { uri } = await route({ webhook_verification: { provider: "github", secret: "a secret" } });
    const at = `${uri}/webhook_verification`;
    const other = { provider: "svix" };
    expect((await server.unchangedBy(uri, () => server.rest.put(at, other))).status).to.equal(400);
    expect((await server.rest.put(at, { ...other, secret: key })).status).to.equal(200);
    expect((await server.rest.put(at, other)).status).to.equal(200);
  });

  it("webhook_verification: a service that gateways cannot check is refused", () =>
    expectModuleRefused("webhook_verification", { provider: "sendgrid", secret: "s" }, invalid("provider")));
});
