import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { envoyOfThisFile, http1 } from "./traffic";
import { fixed, httpsEdge, inbound, oidc, policy, route, to } from "./worlds";

describe("Sign-in and logs by a real Envoy", () => {
  const gateway = envoyOfThisFile();
  const endpoint = "https://127.0.0.1:9";
  const issuers = new Map([
    [
      "https://id.example.com",
      { authorizationEndpoint: `${endpoint}/authorize`, tokenEndpoint: `${endpoint}/token` },
    ],
  ]);
  const site = (fields: object) => [
    httpsEdge({ routes: [route({ backend: to("up"), ...fields })] }),
    fixed("up", gateway.state.upstream.address),
  ];

  it("redirects users to the issuer, with PKCE, and lets only OPTIONS pass if that is declared", async () => {
    await gateway.serve(site({ oidc: oidc({ options_passthrough: true }) }), { issuers });
    const { status, headers } = await gateway.http2("/x");
    expect(status).to.equal(302);
    expect(headers.location)
      .to.match(/^https:\/\/127\.0\.0\.1:9\/authorize\?/)
      .and.to.contain("code_challenge=")
      .and.to.contain("client_id=app");
    expect((await gateway.http2("/x", { method: "OPTIONS" })).status).to.equal(200);
    await gateway.serve(site({ oidc: oidc() }), { issuers });
    expect((await gateway.http2("/x", { method: "OPTIONS" })).status).to.not.equal(200);
  });

  it("accepts no forged cookie, token or callback", async () => {
    const configuration = await gateway.serve(site({ oidc: oidc() }), { issuers });
    const [, id] =
      /"cookie_names":\{"bearer_token":"__Host-tunnelplane_(\w+)_token"/.exec(
        JSON.stringify(configuration),
      ) ?? [];
    const [, callback] =
      /"exact":"(\/.tunnelplane\/callback\/[^"]+)"/.exec(JSON.stringify(configuration)) ?? [];
    const end = Math.floor(Date.now() / 1000) + 3600;
    const cookies = ["token=x", "hmac=x", `expires=${end}`, "id=x", "refresh=x"]
      .map((part) => `__Host-tunnelplane_${id}_${part}`)
      .join("; ");
    const tries: [string, Record<string, string>][] = [
      ["/", { cookie: cookies }],
      ["/", { cookie: `${cookies}; RefreshToken=x; BearerToken=x; OauthHMAC=x; OauthExpires=${end}` }],
      ["/", { authorization: "Bearer x" }],
      [`${callback}?code=x&state=x`, {}],
      [`${callback}`, { cookie: cookies }],
      ["/.tunnelplane/callback/../../", {}],
      ["/?code=x&state=y", {}],
    ];
    for (const protocol of ["http1", "http2"] as const) {
      for (const [path, headers] of tries)
        expect((await gateway[protocol](path, { headers })).status, `${path} over ${protocol}`).to.be.oneOf([
          302, 400, 401, 403,
        ]);
    }
  });

  it("ends sessions by POST alone, beside policies and wildcards and at other ports too, and hides its cookies at all ports", async () => {
    const second = await freePort();
    const listen = [
      { port: 443, address: "127.0.0.1", bindPort: gateway.state.port },
      { port: 8443, address: "127.0.0.1", bindPort: second },
    ];
    const policies = inbound(policy(['req.path == "/denied"'], ["deny"]));
    const plain = (id: string, hostport: string) =>
      httpsEdge({ id, hostports: [hostport], routes: [route({ id, backend: to("up") })] });
    for (const more of [{}, { policies }]) {
      const signed = httpsEdge({
        hostports: ["*.example.com:8443"],
        routes: [route({ backend: to("up"), oidc: oidc(), ...more })],
      });
      const world = [
        ...[signed, plain("e2", "app.example.com:443"), plain("e3", "db.example.com:8443")],
        fixed("up", gateway.state.upstream.address),
      ];
      await gateway.serve(world, { issuers, listen });
      const signOut = "/.tunnelplane/sign-out/edghtsrt_1";
      const ask = (method: string, headers: Record<string, string> = {}) =>
        http1(second, signOut, { sni: "any.example.com", host: "any.example.com:8443", method, headers });
      const own = { origin: "https://any.example.com:8443", "sec-fetch-site": "same-origin" };
      const attempts: [number, () => ReturnType<typeof ask>][] = [
        [405, () => ask("GET")],
        [403, () => ask("POST", { origin: "https://evil.example.org" })],
        [404, () => http1(second, "/.tunnelplane/callback/edghtsrt_gone", { sni: "any.example.com" })],
      ];
      for (const [as, refused] of attempts) {
        const { allowed } = await refusedBeside({ refused, as, allowed: () => ask("POST", own) });
        const { status, headers } = allowed;
        expect([status, headers.location]).to.deep.equal([302, "https://any.example.com:8443/"]);
      }
      const cookie = `a=b;__Host-x_y_0123456789abcdef_nonce.0123456789abcdef=x ; __Host-tunnelplane_0123456789abcdef_hmac=y;c="d"`;
      for (const [port, sni] of [
        [gateway.state.port, "app.example.com"],
        [second, "db.example.com"],
      ] as const) {
        const { body } = await http1(port, "/", { sni, headers: { cookie } });
        expect((JSON.parse(body) as { headers: { cookie: string } }).headers.cookie, sni).to.equal(
          'a=b; c="d"',
        );
      }
    }
  });

  it("rejects a route whose issuer was never reached, and ends all sessions where their limits change", async () => {
    const { edges } = await gateway.serve(site({ oidc: oidc() }), { issuers: new Map() });
    expect(edges[0]?.reason).to.contain("https://id.example.com").and.to.contain("--trust");
    const secrets = (limits: object) =>
      gateway.configurationOf(site({ oidc: oidc(limits) }), { issuers }).secrets;
    const declared = secrets({ maximum_duration: 3600 });
    expect(secrets({ maximum_duration: 3600 })).to.deep.equal(declared);
    for (const other of [{ maximum_duration: 3599 }, { maximum_duration: 3600, inactivity_timeout: 600 }])
      expect(secrets(other)).not.to.deep.equal(declared);
  });

  it("answers 401 to what no person navigates, with no cookie, and sends nobody away to sign in", async () => {
    await gateway.serve(site({ oidc: oidc() }), { issuers });
    const html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
    const browsing = { accept: html, "sec-fetch-mode": "navigate" };
    const machines: Record<string, string>[] = [
      { "sec-fetch-mode": "cors", accept: html },
      { "sec-fetch-mode": "no-cors" },
      { accept: "application/json" },
      { accept: "*/*" },
      { "x-requested-with": "XMLHttpRequest", accept: html },
    ];
    const { refused } = await refusedBeside({
      refused: machines.map((headers) => () => gateway.http2("/x", { headers })),
      as: 401,
      allowed: () => gateway.http2("/x", { headers: browsing }),
    });
    for (const { headers, body } of refused) {
      expect(headers["www-authenticate"]).to.equal('Cookie realm="sign-in"');
      expect([headers["set-cookie"], headers.location]).to.deep.equal([undefined, undefined]);
      expect(body).to.contain("Sign in first");
    }
    const socket = { upgrade: "websocket", connection: "Upgrade", accept: html };
    expect((await gateway.http1("/x", { headers: socket })).status).to.equal(401);
    for (const headers of [{}, browsing, { accept: "TEXT/HTML" }] as Record<string, string>[])
      expect((await gateway.http2("/x", { headers })).status).to.equal(302);
  });

  it("logs requests of routes with a log action as JSON with the declared metadata, and no others", async () => {
    await gateway.serve(
      site({
        policies: inbound(policy(['req.path.startsWith("/seen")'], ["log", { metadata: { team: "web" } }])),
      }),
    );
    await gateway.http1("/unseen");
    await gateway.http1("/seen");
    while (!gateway.state.envoy.output.includes('"path":"/seen"')) await sleep(20);
    expect(gateway.state.envoy.output).to.contain('"team":"web"').and.not.to.contain("/unseen");
  });
});
