import { once } from "node:events";
import { decisions } from "@tunnelplane/sdk/meaning";
import { METHODS } from "@tunnelplane/sdk/rules";
import { readAnswer } from "../../gateway/dist/trial/http1";
import { certificate } from "../support/api/fixtures";
import { refusedBeside } from "../support/refusal";
import { Issuer } from "./tokens";
import { envoyOfThisFile, signedBy } from "./traffic";
import { authority, enabled, fixed, httpsEdge, inbound, jwt, policy, refs, route, to } from "./worlds";

// biome-ignore format: one trick beside the other
/** Ways to write a path below /jwt or /private so that a check might not see it. */
const TRICKS = [
  "/jwt/x", "/jwt", "//jwt/x", "///jwt//x", "/./jwt/x", "/%6awt/x", "/%6Awt/x", "/open/../jwt/x", "/open/./../jwt/x", "/open/%2e%2e/jwt/x", "/open/%2E%2E/jwt/x",
  "/open/.%2e/jwt/x", "/open/%2e./jwt/x", "/open/..%2fjwt/x", "/open%2f..%2fjwt/x", "/%2fjwt/x", "/open/..%5cjwt/x", "/open\\..\\jwt/x", "\\jwt\\x", "/open/..\\jwt/x",
  "/jwt%2fx", "/jwt%5cx", "/open/..;/jwt/x", "/open/..;a=b/jwt/x", "/jwt;a=b/x", "/;/jwt/x", "/open/%2e%2e%3b/jwt/x", "/jwt%3b/x", "/open/../../jwt/x", "/open/x/..//../jwt/x",
  "/jwt/./x", "/jwt/?a=/open", "/jwt?/open", "/jwt#/open", "/open/../jwt?x=/open", "https://app.example.com/jwt/x", "https://app.example.com/open/../jwt/x", "http://app.example.com//jwt/x",
  "https://other.example.com/jwt/x", "/jwt/%00", "/%00/jwt", "/jwt\t/x", "/open/%252e%252e/../../jwt/x", "*",
];

describe("No request gets around a check:", () => {
  const gateway = envoyOfThisFile();
  const clients = certificate({ name: "Clients" });
  const client = signedBy(clients);
  let issuer: Issuer;
  before(async function () {
    if (!gateway.state.own) return this.skip();
    issuer = await Issuer.start(gateway.state.own);
  });

  const guarded = () => [
    httpsEdge({
      routes: [
        route({ backend: to("up") }),
        route({ id: "edghtsrt_open", match: "/open", backend: to("up") }),
        route({ id: "edghtsrt_jwt", match: "/jwt", backend: to("up"), jwt_validation: jwt({}, issuer.jku) }),
        route({
          ...{ id: "edghtsrt_exact", match_type: "exact_path", match: "/private", backend: to("up") },
          ip_restriction: enabled({ ip_policies: refs("nobody") }),
        }),
        route({
          id: "edghtsrt_deny",
          match: "/denied",
          backend: to("up"),
          policies: inbound(policy(['req.path.startsWith("/denied")'], ["deny"])),
        }),
      ],
    }),
    fixed("up", gateway.state.upstream.address),
  ];

  const strictBeside = () => [
    ...guarded(),
    httpsEdge({
      id: "edghts_2",
      hostports: ["strict.example.com:443"],
      mutual_tls: enabled({ certificate_authorities: refs("ca") }),
      routes: [route({ id: "edghtsrt_2", backend: to("up") })],
    }),
    httpsEdge({
      id: "edghts_3",
      hostports: ["*.example.com:443"],
      routes: [route({ id: "edghtsrt_3", backend: to("up") })],
    }),
    authority("ca", clients.pem),
  ];

  it("no spelling of a path gets past a policy that asks for it, on an edge with one route", async () => {
    const policies = inbound(policy(['req.path == "/jwt" || req.path.startsWith("/jwt/")'], ["deny"]));
    await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("up"), policies })] }),
      fixed("up", gateway.state.upstream.address),
    ]);
    await refusedBeside({
      refused: () => gateway.http1("/jwt"),
      as: 403,
      allowed: () => gateway.http1("/open/x"),
    });
    for (const path of [...TRICKS, "/jwt;x", "/jwt;/", "/;/jwt"]) {
      const { status, body } = await gateway.http1(path);
      if (status !== 200) continue;
      const { path: seen } = JSON.parse(body) as { path: string };
      expect(decodeURIComponent(seen.split("?")[0] ?? ""), `${path} passed as ${seen}`).not.to.match(
        /^[/\\;]*jwt([/;]|$)/,
      );
    }
  });

  for (const protocol of ["http1", "http2"] as const) {
    it(`no spelling of a path over ${protocol} reaches a route that requires a token`, async () => {
      await gateway.serve(guarded());
      expect((await gateway[protocol]("/open/x")).status).to.equal(200);
      for (const path of TRICKS) {
        const { status, body } = await gateway[protocol](path);
        if (status !== 200) continue;
        // It may be another route's by right: then the server behind must not read it as one of /jwt.
        const { path: seen } = JSON.parse(body) as { path: string };
        expect(decodeURIComponent(seen.split("?")[0] ?? ""), `${path} passed as ${seen}`).not.to.match(
          /^[/\\]*jwt/,
        );
      }
    });

    it(`exact paths and denied routes hold over ${protocol} too`, async () => {
      await gateway.serve(guarded());
      for (const name of ["private", "denied"]) {
        for (const path of TRICKS.map((trick) =>
          trick
            .replace(/jwt\/x|jwt/g, name)
            .replace(/%6[aA]wt\/x/, `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`),
        )) {
          const { status, body } = await gateway[protocol](path);
          if (status !== 200) continue;
          const { path: seen } = JSON.parse(body) as { path: string };
          expect(decodeURIComponent(seen.split("?")[0] ?? ""), `${path} passed as ${seen}`).not.to.equal(
            `/${name}`,
          );
        }
      }
    });

    it(`over ${protocol}, methods that HTTP/1.1 does not know get 400, and all others what is decided`, async () => {
      const entries = guarded();
      await gateway.serve(entries);
      const objects = entries.map(({ kind, fields }) => ({
        kind,
        id: (fields as { id: string }).id,
        fields,
      }));
      const decider = decisions({ objects });
      for (const method of [...METHODS, "FOO", "get", "QUERY", "A"]) {
        const request = { address: "app.example.com:443", from: "127.0.0.1", path: "/open/x", method };
        const { status } = decider.decide(request);
        expect((await gateway[protocol]("/open/x", { method })).status, method).to.equal(status ?? 200);
      }
    });

    it(`over ${protocol}, only tokens pass that the issuer signed for this audience`, async () => {
      await gateway.serve(guarded());
      const ask = async (token: string) =>
        (await gateway[protocol]("/jwt/x", { headers: { authorization: `Bearer ${token}` } })).status;
      // An end that a clock that is behind has not seen.
      for (const claims of [issuer.claims(), issuer.claims({ aud: ["x", "api"] }), issuer.ended(30)])
        expect(await ask(issuer.token(claims))).to.equal(200);
      for (const [what, token] of Object.entries(issuer.forged()))
        await refusedBeside({
          refused: () => ask(token),
          as: (status) => expect(status, what).to.be.oneOf([401, 403]),
          allowed: () => ask(issuer.token()),
        });
      const elsewhere = await gateway[protocol](`/jwt/x?access_token=${issuer.token()}`);
      expect(elsewhere.status, "a token elsewhere").to.equal(401);
    });

    it(`over ${protocol}, tokens with EdDSA pass where that is allowed, and only with the issuer's key`, async () => {
      const allowed = jwt(
        { jws: { allowed_algorithms: ["EdDSA"], keys: { sources: { additional_jkus: [issuer.jku] } } } },
        issuer.jku,
      );
      await gateway.serve([
        httpsEdge({ routes: [route({ backend: to("up"), jwt_validation: allowed })] }),
        fixed("up", gateway.state.upstream.address),
      ]);
      const ask = async (token: string) =>
        (await gateway[protocol]("/", { headers: { authorization: `Bearer ${token}` } })).status;
      const good = issuer.token(issuer.claims(), { alg: "EdDSA" });
      // Another signature, and another algorithm of the same issuer.
      const seen = [await ask(good), await ask(`${good.slice(0, -8)}AAAAAAAA`), await ask(issuer.token())];
      expect(seen).to.deep.equal([200, 401, 403]);
    });

    it(`a connection for one edge cannot be used over ${protocol} for another that checks more`, async () => {
      await gateway.serve(strictBeside());
      const withKey = { cert: client.pem, key: client.privateKey };
      const ask = (sni: string, more = {}) => gateway[protocol]("/", { sni: `${sni}.example.com`, ...more });
      const strict = [await ask("strict", withKey), await ask("strict"), await ask("a.any")];
      expect(strict.map(({ status }) => status)).to.deep.equal([200, 0, 0]);
      const hosts = ["strict", "STRICT", "a.b"].map((name) => `${name}.example.com`);
      hosts.push(...[":443", ":1", "."].map((end) => `strict.example.com${end}`), "unknown.example.org");
      for (const sni of ["app", "any"]) // one of them is a wildcard's
        await refusedBeside({
          refused: hosts.map((host) => () => ask(sni, { host })),
          as: 421,
          allowed: () => ask(sni),
        });
    });
  }

  it("an HTTP/2 connection that was good for one edge is not good for another one, however often it was used", async () => {
    await gateway.serve(strictBeside());
    const hosts = [
      ...["app.example.com", "strict.example.com", "any.example.com", "app.example.com"],
      "STRICT.example.com:443",
    ];
    const seen = async (sni: string, ask = {}) => {
      const answers = await gateway.overOneConnection(
        hosts.map((host) => ({ path: "/open", host })),
        { sni, ...ask },
      );
      return answers.map(({ status }) => status);
    };
    expect(await seen("app.example.com")).to.deep.equal([200, 421, 421, 200, 421]);
    expect(await seen("any.example.com")).to.deep.equal([421, 421, 200, 421, 421]);
    const withKey = { cert: client.pem, key: client.privateKey };
    expect(await seen("strict.example.com", withKey)).to.deep.equal([421, 200, 421, 421, 200]);
    const [first, second] = await gateway.overOneConnection(
      [
        { path: "/", host: "any.example.com" },
        { path: "/jwt/x", host: "app.example.com" },
      ],
      { sni: "any.example.com" },
    );
    expect([first?.status, second?.status]).to.deep.equal([200, 421]);
  });

  it("a TLS session of an edge without client certificates cannot be resumed at an edge that requires them", async () => {
    await gateway.serve(strictBeside());
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const first = await gateway.tls({ sni: "app.example.com", maxVersion });
      first.write("GET /open HTTP/1.1\r\nhost: app.example.com\r\n\r\n");
      await once(first, "data"); // the session comes with it
      const session = first.getSession();
      first.destroy();
      const { status } = await gateway.http1("/", { sni: "strict.example.com", maxVersion, session });
      expect(status, maxVersion).to.equal(0);
    }
  });

  it("gateway and upstream agree where each request ends (no request smuggling)", async () => {
    await gateway.serve(guarded());
    const inner = "GET /private HTTP/1.1\r\nhost: app.example.com\r\n\r\n";
    const start = "POST /open HTTP/1.1\r\nhost: app.example.com\r\nconnection: close\r\n";
    for (const [what, text] of Object.entries({
      "a length and chunks": `${start}content-length: ${inner.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      "two lengths": `${start}content-length: 0\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`,
      "chunks under another name": `${start}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
      "a space before the colon": `${start}content-length : ${inner.length}\r\n\r\n${inner}`,
      "a header that goes on in the next line": `${start}x: a\r\n content-length: ${inner.length}\r\n\r\n${inner}`,
    })) {
      const answer = await readAnswer(await gateway.tls({ ALPNProtocols: ["http/1.1"] }), text);
      expect(answer.status, what).to.be.oneOf([0, 200, 400, 403, 501]);
      if (answer.status === 200) expect(JSON.parse(answer.body).path, what).to.equal("/open"); // written anew
    }
  });
});
