import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { readAnswer } from "../../gateway/dist/trial/http1";
import { freePort } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { StandInServer } from "../support/standIn";
import { type Answer, type Ask, envoyOfThisFile } from "./traffic";
import {
  backend,
  enabled,
  fixed,
  httpsEdge,
  inbound,
  policy,
  refs,
  route,
  rule,
  tcpEdge,
  tlsEdge,
  to,
} from "./worlds";

const CALLER = "203.0.113.9";
/** Where the balancer of these tests connects from, on this machine. */
const BALANCER = "127.0.0.2";
const BEHIND = { networks: [`${BALANCER}/32`], proxyProtocol: false };
const BEHIND_PROXY_PROTOCOL = { ...BEHIND, proxyProtocol: true };

/** Every header by which callers say who they are, and more that only proxies write. */
const FORGED = {
  ...{ "x-forwarded-for": CALLER, "x-forwarded-proto": "http" },
  ...{ "x-forwarded-host": "forged.example.com", "x-forwarded-port": "1" },
  ...{ "x-forwarded-prefix": "/forged", "x-forwarded-client-cert": "Subject=forged" },
  ...{ "x-forwarded-by": "forged", "x-forwarded-fox": "forged", "x-forwarded-fo": "forged" },
  ...{ "x-forwarded-": "forged", forwarded: `for=${CALLER}`, "x-real-ip": CALLER },
  ...{ "true-client-ip": CALLER, "x-client-ip": CALLER, "x-cluster-client-ip": CALLER },
  ...{ "cf-connecting-ip": CALLER, "fastly-client-ip": CALLER, "x-envoy-external-address": CALLER },
  ...{ "x-envoy-internal": "true", "x-envoy-original-path": "/forged", "x-envoy-max-retries": "9" },
  ...{ "x-envoy-decorator-operation": "forged", "x-tunnelplane-client-ip": CALLER },
  ...{ "x-tunnelplane-path": "/forged", "x-original-url": "/forged", "x-rewrite-url": "/forged" },
};
const ABOUT_CALLERS =
  /^(x-forwarded-.*|forwarded|x-real-ip|x-envoy-.*|x-tunnelplane-.*|.*-(client|connecting)-ip|x-.*-url)$/;

describe("The port of a caller", () => {
  const gateway = envoyOfThisFile();
  const app = "app.example.com";
  const seen = (body: string) => {
    const { headers } = JSON.parse(body) as { headers: Record<string, string> };
    return [headers.host, headers["x-forwarded-host"], headers["x-forwarded-port"]];
  };

  it("is in Host and X-Forwarded-Port as the caller wrote it, also where the gateway listens at another one", async () => {
    const bound = gateway.state.port;
    for (const [port, hostports] of [
      [443, [`${app}:443`]],
      [443, ["*.example.com:443"]],
      [bound, [`${app}:${bound}`]],
    ] as const) {
      const listen = [{ port, address: "127.0.0.1", bindPort: bound }];
      const world = [
        httpsEdge({ hostports, routes: [route({ backend: to("up") })] }),
        fixed("up", gateway.state.upstream.address),
      ];
      await gateway.serve(world, { listen });
      for (const host of [app, `${app}:${port}`, `${app.toUpperCase()}:${bound}`])
        for (const protocol of ["http1", "http2"] as const) {
          const written = host.split(":")[1] ?? String(port);
          expect(seen((await gateway[protocol]("/", { host })).body), host).to.deep.equal([
            host,
            host,
            written,
          ]);
        }
      const curl = spawn("curl", [
        "-sk",
        "--resolve",
        `${app}:${bound}:127.0.0.1`,
        `https://${app}:${bound}/`,
      ]);
      const own = `${app}:${bound}`;
      expect(seen(await text(curl.stdout)), "by curl").to.deep.equal([own, own, String(bound)]);
      await refusedBeside({
        refused: [`${app}:1`, `${app}:65536`, `${app}:0443`, `${app}:`, `${app}.`].map(
          (host) => () => gateway.http1("/", { host }),
        ),
        as: 421,
        allowed: () => gateway.http1("/", { host: own }),
      });
    }
  });
});

describe("The address of a caller", () => {
  const gateway = envoyOfThisFile();
  const up = () => fixed("up", gateway.state.upstream.address);
  const onlyCaller = enabled({ ip_policies: refs("p") });
  const callerMay = rule("p", "allow", `${CALLER}/32`);
  const world = () => [
    httpsEdge({
      routes: [
        route({ backend: to("up") }),
        route({ id: "edghtsrt_2", match: "/restricted", backend: to("up"), ip_restriction: onlyCaller }),
        route({
          id: "edghtsrt_3",
          match: "/policy",
          backend: to("up"),
          policies: inbound(
            policy(
              [`!(conn.client_ip.inCidrRange("${CALLER}/32") && conn.client_ip == "${CALLER}")`],
              ["deny"],
            ),
          ),
        }),
        route({
          id: "edghtsrt_4",
          match: "/limited",
          backend: to("up"),
          policies: inbound(
            policy(
              [],
              ["rate-limit", { name: "one", capacity: 1, rate: "60s", bucket_key: ["conn.client_ip"] }],
            ),
          ),
        }),
      ],
    }),
    tlsEdge({ backend: to("up"), ip_restriction: onlyCaller }),
    up(),
    callerMay,
  ];
  const opened: Socket[] = [];
  let upstream: StandInServer | undefined;
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
    upstream?.stop();
    upstream = undefined;
  });
  const aboutCaller = ({ body }: Answer) => {
    const { headers } = JSON.parse(body) as { headers: Record<string, string> };
    return Object.fromEntries(Object.entries(headers).filter(([name]) => ABOUT_CALLERS.test(name)));
  };
  const said = (address: string) => ({
    ...{ "x-forwarded-for": address, "x-forwarded-proto": "https" },
    ...{ "x-forwarded-host": "app.example.com", "x-forwarded-port": "443", "x-real-ip": address },
  });
  /** A connection of the balancer that begins with this, such as PROXY protocol. */
  async function beginning(
    text: string | Buffer,
    localAddress = BALANCER,
    port = gateway.state.port,
  ): Promise<Socket> {
    const socket = connect({ host: "127.0.0.1", port, localAddress }).on("error", () => undefined);
    opened.push(socket);
    await once(socket, "connect");
    socket.write(text);
    return socket;
  }
  const proxied = (localAddress?: string) =>
    beginning(`PROXY TCP4 ${CALLER} 127.0.0.1 40000 443\r\n`, localAddress);
  const status = async (path: string, ask: Ask = {}) => (await gateway.http1(path, ask)).status;

  for (const protocol of ["http1", "http2"] as const) {
    it(`reaches backends from the gateway alone, whatever headers a caller forges over ${protocol}`, async () => {
      await gateway.serve(world());
      expect(aboutCaller(await gateway[protocol]("/", { headers: FORGED }))).to.deep.equal(said("127.0.0.1"));
      await gateway.serve(world(), { balancers: BEHIND });
      expect(aboutCaller(await gateway[protocol]("/", { headers: FORGED }))).to.deep.equal(said("127.0.0.1"));
      expect(
        aboutCaller(await gateway[protocol]("/", { headers: FORGED, localAddress: BALANCER })),
      ).to.deep.equal(said(CALLER));
    });
  }

  it("cannot be kept from a backend by naming its headers in Connection", async () => {
    let seen = "";
    const raw = createServer((socket) =>
      socket.once("data", (chunk) => {
        seen = String(chunk).toLowerCase();
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      }),
    ).listen(0, "127.0.0.1");
    await once(raw, "listening");
    const address = `127.0.0.1:${(raw.address() as AddressInfo).port}`;
    await gateway.serve([httpsEdge({ routes: [route({ backend: to("up") })] }), fixed("up", address)]);
    const ask = async (more: string) =>
      (await readAnswer(await gateway.tls(), `GET / HTTP/1.1\r\nhost: app.example.com\r\n${more}\r\n\r\n`))
        .status;
    expect(await ask("connection: upgrade, x-forwarded-for, x-real-ip\r\nupgrade: websocket")).to.equal(200);
    expect(seen).to.contain("\r\nconnection: upgrade\r\n").and.to.contain("\r\nx-real-ip: 127.0.0.1\r\n");
    expect(await ask("connection: x-forwarded-for")).to.equal(400);
    raw.close();
  });

  it("no forged header opens an IP restriction or a policy, nor gets around a limit for each address", async () => {
    const forgeries: Record<string, string>[] = [
      FORGED,
      { "x-forwarded-for": CALLER },
      { forwarded: `for=${CALLER}` },
      { "x-real-ip": CALLER },
    ];
    for (const balancers of [undefined, BEHIND]) {
      await gateway.serve(world(), { balancers });
      await refusedBeside({
        refused: forgeries.flatMap((headers) =>
          ["/restricted", "/policy"].map((path) => () => gateway.http1(path, { headers })),
        ),
        as: 403,
        allowed: () => gateway.http1("/", { headers: FORGED }),
      });
    }
    const limited = (address: string) => status("/limited", { headers: { "x-forwarded-for": address } });
    expect([await limited("9.9.9.1"), await limited("9.9.9.2")]).to.deep.equal([200, 429]);
  });

  it("is the last entry in X-Forwarded-For of a trusted balancer, in all its forms: for restrictions, policies, limits and backends", async () => {
    await gateway.serve(world(), { balancers: BEHIND });
    const ask = (path: string, list: string) =>
      gateway.http1(path, { localAddress: BALANCER, headers: { "x-forwarded-for": list } });
    for (const path of ["/restricted", "/policy"]) {
      // A stranger may write anything to the left of it.
      const forms = [
        ...[CALLER, `${CALLER}:51008`, `::ffff:${CALLER}`, `::FFFF:${CALLER}`],
        `[::ffff:${CALLER}]:443`,
      ];
      for (const last of [...forms, `[${CALLER}]`, `${CALLER} `])
        for (const before of ["", "8.8.8.8, ", 'unknown,,[::1,"x",', "8.8.8.8\r\nx-forwarded-for: "])
          expect(aboutCaller(await ask(path, before + last)), `${path} for ${before}${last}`).to.deep.equal(
            said(CALLER),
          );
      const others = ["8.8.8.8", "8.8.8.8:443", `1${CALLER.slice(1)}`, "::ffff:8.8.8.8", "[2001:db8::7]:443"];
      await refusedBeside({
        refused: others.map((last) => () => ask(path, `${CALLER}, ${last}`)),
        as: 403,
        allowed: () => ask(path, CALLER),
      });
    }
    for (const address of ["2001:db8::7", "[2001:db8::7]", "[2001:DB8:0::7]:443", "2001:db8::0:7"])
      expect(aboutCaller(await ask("/", address)), address).to.deep.equal(said("2001:db8::7"));
    const limited = [];
    for (const address of ["::ffff:9.9.9.3", "9.9.9.3:1234", "9.9.9.1", "9.9.9.2", "9.9.9.1"])
      limited.push((await ask("/limited", address)).status);
    expect(limited).to.deep.equal([200, 429, 200, 200, 429]);
    expect(
      await status("/", {
        sni: "db.example.com",
        localAddress: BALANCER,
        headers: { "x-forwarded-for": CALLER },
      }),
    ).to.equal(0);
  });

  it("has to be named by a trusted balancer that sends X-Forwarded-For: one that names none gets 400", async () => {
    await gateway.serve(world(), { balancers: BEHIND });
    const ask = (list?: string) =>
      gateway.http1("/", {
        localAddress: BALANCER,
        headers: list === undefined ? {} : { "x-forwarded-for": list },
      });
    for (const list of [
      ...["", " ", "unknown", `${CALLER},`, `${CALLER}, unknown`, `${CALLER} 8.8.8.8`, `${CALLER}:`],
      ...[`${CALLER}:123456`, `${CALLER}/32`, `"${CALLER}"`, "203.0.113", "203.0.113.256", "_hidden"],
      ...["[2001:db8::7", "2001:db8:::7", "2001:db8::7%eth0", "::ffff:cb00:7109"],
    ]) {
      const refused = await ask(list);
      expect([refused.status, refused.body.includes("X-Forwarded-For")], list).to.deep.equal([400, true]);
    }
    // What speaks for nobody is the caller itself: a health check, or a client in the balancers' network.
    expect(aboutCaller(await ask())).to.deep.equal(said(BALANCER));
  });

  it("is the address in the PROXY protocol, where it is on: on routes, TLS edges and where TLS ends upstream", async () => {
    const own = gateway.state.own;
    upstream = await StandInServer.start((_, response) => response.end(), own);
    const tls_termination = enabled({ terminate_at: "upstream", min_version: null });
    await gateway.serve(
      [
        ...world(),
        tlsEdge({
          ...{ id: "edgtls_2", hostports: ["raw.example.com:443"], tls_termination },
          ...{ backend: to("raw"), ip_restriction: onlyCaller },
        }),
        fixed("raw", upstream.url.slice("https://".length)),
      ],
      { balancers: BEHIND_PROXY_PROTOCOL },
    );
    for (const path of ["/", "/restricted", "/policy"]) {
      const answer = await gateway.http1(path, { socket: await proxied(), headers: FORGED });
      expect(aboutCaller(answer), path).to.deep.equal(said(CALLER));
    }
    const mapped = `PROXY TCP6 ::ffff:${CALLER} ::1 40000 443\r\n`;
    for (const path of ["/", "/restricted", "/policy"]) {
      const answer = await gateway.http1(path, { socket: await beginning(mapped), headers: FORGED });
      expect(aboutCaller(answer), path).to.deep.equal(said(CALLER));
    }
    for (const sni of ["db.example.com", "raw.example.com"])
      for (const [address, answered] of [
        [CALLER, 200],
        ["8.8.8.8", 0],
      ] as const) {
        const socket = await beginning(`PROXY TCP6 ::ffff:${address} ::1 40000 443\r\n`);
        expect(await status("/", { sni, socket }), `${sni} from ${address}`).to.equal(answered);
      }
    const other = "PROXY TCP4 8.8.8.8 127.0.0.1 40000 443\r\n";
    for (const path of ["/restricted", "/policy"])
      await refusedBeside({
        refused: async () => gateway.http1(path, { socket: await beginning(other), headers: FORGED }),
        as: 403,
        allowed: async () => gateway.http1(path, { socket: await proxied(), headers: FORGED }),
      });
    for (const sni of ["db.example.com", "raw.example.com"]) {
      const of = async (socket: Promise<Socket>) => status("/", { sni, socket: await socket });
      expect([await of(proxied()), await of(beginning(other))], sni).to.deep.equal([200, 0]);
    }
  });

  it("is nobody in a connection that a balancer makes for itself, or for an unknown caller: it reaches no backend", async () => {
    const spread = backend("weighted", "spread", { backends: { up: 1, up2: 1 } });
    let greeted = 0;
    const greeting = createServer(
      (socket) => void socket.on("error", () => undefined).end(`hello ${++greeted}`),
    );
    greeting.listen(0, "127.0.0.1");
    await once(greeting, "listening");
    const bindPort = await freePort();
    const many = tlsEdge({ id: "edgtls_2", hostports: ["many.example.com:443"], backend: to("spread") });
    await gateway.serve(
      [
        ...world().slice(0, 1),
        tlsEdge({ backend: to("up") }),
        many,
        spread,
        up(),
        fixed("up2", gateway.state.upstream.address),
        tcpEdge({ backend: to("greeting") }),
        fixed("greeting", `127.0.0.1:${(greeting.address() as AddressInfo).port}`),
      ],
      { balancers: BEHIND_PROXY_PROTOCOL, tcpListen: [{ port: 20_001, address: "127.0.0.1", bindPort }] },
    );
    const heard = async (text: string | Buffer) => {
      const socket = await beginning(text, BALANCER, bindPort);
      const parts: Buffer[] = [];
      socket.on("data", (part) => parts.push(part));
      await new Promise((resolve) => socket.once("close", resolve));
      return String(Buffer.concat(parts));
    };
    const second = (command: number, family: number, body: Buffer) =>
      Buffer.concat([
        Buffer.from("0d0a0d0a000d0a515549540a", "hex"),
        Buffer.of(0x20 | command, family, 0, body.length),
        body,
      ]);
    const addresses = Buffer.from("cb0071097f0000019c4001bb", "hex");
    const [LOCAL, PROXY] = [0, 1];
    const named = ["PROXY TCP4 203.0.113.9 127.0.0.1 40000 443\r\n", second(PROXY, 0x11, addresses)];
    const unnamed = [
      ...["PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n"],
      ...[second(LOCAL, 0, Buffer.alloc(0)), second(LOCAL, 0x11, addresses)],
      second(PROXY, 0, Buffer.alloc(0)),
    ];
    for (const one of unnamed) expect(await heard(one), String(one)).to.equal("");
    for (const [index, one] of named.entries()) expect(await heard(one)).to.equal(`hello ${index + 1}`);
    greeting.close();
    for (const sni of ["app.example.com", "db.example.com", "many.example.com"]) {
      for (const one of named)
        expect(await status("/", { sni, socket: await beginning(one) }), sni).to.equal(200);
      for (const one of unnamed)
        expect(await status("/", { sni, socket: await beginning(one) }), `${sni} ${one}`).to.equal(0);
    }
  });

  it("is taken from balancers alone by the PROXY protocol: others are closed, and so is a connection without it", async () => {
    const tls_termination = enabled({ terminate_at: "upstream", min_version: null });
    const raw = tlsEdge({
      id: "edgtls_2",
      hostports: ["raw.example.com:443"],
      tls_termination,
      backend: to("up"),
    });
    await gateway.serve([...world(), raw], { balancers: BEHIND_PROXY_PROTOCOL });
    expect(await status("/", { socket: await proxied() })).to.equal(200);
    for (const sni of ["app.example.com", "db.example.com", "raw.example.com", "unknown.example.com"]) {
      for (const [what, socket] of Object.entries({
        "a stranger with the PROXY protocol": await proxied("127.0.0.1"),
        "a stranger without": await beginning("", "127.0.0.1"),
        "a balancer without": await beginning(""),
      })) {
        const closed = new Promise((resolve) => socket.on("close", resolve));
        expect(await status("/", { sni, socket }), `${what} at ${sni}`).to.equal(0);
        await closed;
      }
    }
  });
});
