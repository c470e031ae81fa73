import { connect as connectTcp } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { bootstrap } from "../../gateway/dist";
import { readAnswer } from "../../gateway/dist/trial/http1";
import { certificate } from "../support/api/fixtures";
import { EnvoyProcess } from "../support/envoy";
import { envoyOfThisFile, signedUntil } from "./traffic";
import { authority, enabled, fixed, httpsEdge, refs, route, tlsEdge, to } from "./worlds";

type Version = "TLSv1.2" | "TLSv1.3";
const VERSIONS: readonly Version[] = ["TLSv1.2", "TLSv1.3"];
const HOSTS = ["app.example.com", "db.example.com"];

function clientHello(servername: string, version: Version): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read: () => undefined, write: (chunk) => resolve(chunk) });
    connect({ socket, servername, minVersion: version, maxVersion: version }).on("error", () => undefined);
  });
}

describe("A connection", () => {
  const gateway = envoyOfThisFile();
  const up = () => fixed("up", gateway.state.upstream.address);
  const open = () => [
    httpsEdge({ routes: [route({ backend: to("up") })] }),
    tlsEdge({ backend: to("up") }),
    up(),
  ];

  it("is not resumed past the end of its client's certificate, under TLS 1.2 and 1.3; without client certificates it is", async () => {
    const clients = certificate({ name: "Clients" });
    const mutual_tls = enabled({ certificate_authorities: refs("ca") });
    const edges = [
      httpsEdge({ mutual_tls, routes: [route({ backend: to("up") })] }),
      tlsEdge({ mutual_tls, backend: to("up") }),
    ];
    await gateway.serve([...edges, up(), authority("ca", clients.pem)]);
    const begun = async (sni: string, maxVersion: Version, more: object) => {
      const socket = await gateway.tls({ sni, maxVersion, ...more });
      const reused = socket.isSessionReused();
      let session = socket.getSession();
      // Under TLS 1.3 it comes with the first answer.
      socket.on("session", (ticket) => {
        session = ticket;
      });
      const { status } = await readAnswer(
        socket,
        `GET / HTTP/1.1\r\nhost: ${sni}\r\nconnection: close\r\n\r\n`,
      );
      return { status, reused, session };
    };
    const all = HOSTS.flatMap((sni) => VERSIONS.map((version) => ({ sni, version })));
    for (let seconds = 4; ; seconds *= 2) {
      const client = signedUntil(clients, new Date(Date.now() + seconds * 1000));
      const key = { cert: client.pem, key: client.privateKey };
      const sessions = await Promise.all(
        all.map(({ sni, version }) => begun(sni, version, key).catch(() => undefined)),
      );
      if (sessions.some((one) => one?.status !== 200)) continue; // This machine was slower than the certificate is long.
      while ((await gateway.http1("/", key)).status !== 0) await sleep(100);
      for (const [index, { sni, version }] of all.entries()) {
        const resumed = await begun(sni, version, { ...key, session: sessions[index]?.session }).catch(
          () => ({ status: 0 }),
        );
        expect(resumed.status, `${sni} under ${version}`).to.equal(0);
      }
      break;
    }
    await gateway.serve(open());
    for (const { sni, version } of all) {
      const { session } = await begun(sni, version, {});
      expect((await begun(sni, version, { session })).reused, `${sni} under ${version}`).to.equal(true);
    }
  });

  it("ends by itself when its handshake stalls, wherever that is, while others go on", async function () {
    this.timeout(60_000);
    await gateway.serve(open());
    const other = await gateway.tls({ sni: "db.example.com" });
    other.setTimeout(0);
    const hellos = await Promise.all(
      HOSTS.flatMap((sni) => VERSIONS.map((version) => clientHello(sni, version))),
    );
    const ends = [
      Buffer.alloc(0),
      Buffer.from([22]),
      ...hellos.map((hello) => hello.subarray(0, 60)),
      ...hellos,
    ].map(async (bytes) => {
      const socket = connectTcp(gateway.state.port, "127.0.0.1").on("error", () => undefined);
      const closed = new Promise((resolve) => socket.on("close", resolve));
      socket.resume().write(bytes);
      await closed;
    });
    await Promise.all(ends);
    expect(
      (await readAnswer(other, "GET / HTTP/1.1\r\nhost: db.example.com\r\nconnection: close\r\n\r\n")).status,
    ).to.equal(200);
  });

  it("is closed where its port has as many as it may have, until one of them ends; each port has a limit of its own", async () => {
    const made = JSON.stringify(bootstrap({ admin: "/x/admin.sock", ports: [443, 8443] }));
    const limits = [443, 8443].map(
      (port) => `"envoy.resource_limits.listener.port ${port}.connection_limit":40000`,
    );
    for (const limit of limits) expect(made).to.contain(limit);
    const envoy = await EnvoyProcess.start(undefined, (text) =>
      text.replace(/(connection_limit":)40000/, "$12"),
    );
    await gateway.state.envoy.push({
      clusters: [],
      listeners: [],
      routes: [],
      secrets: [],
      edges: [],
    });
    await envoy.push(gateway.configurationOf(open()));
    const begin = (): Promise<TLSSocket | undefined> => gateway.tls().catch(() => undefined);
    const [first, second, third] = [await begin(), await begin(), await begin()];
    expect([first === undefined, second === undefined, third === undefined]).to.deep.equal([
      false,
      false,
      true,
    ]);
    first?.destroy();
    let next = await begin();
    while (!next) next = await begin();
    for (const socket of [second, next]) socket?.destroy();
  });
});
