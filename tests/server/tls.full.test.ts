import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionOptions, connect } from "node:tls";
import { promisify } from "node:util";
import { CA, type Certificate, certificate } from "../support/api/fixtures";
import { refusalToServe } from "../support/commandLine";
import { onOneDatabase, untilTestEnds } from "../support/databases";
import { newFolder } from "../support/folder";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

const forThisMachine = (): Certificate =>
  certificate({ name: "127.0.0.1", extensions: [CA, "subjectAltName = IP:127.0.0.1"] });

onOneDatabase("A server that speaks TLS", (startServer, database) => {
  const start = untilTestEnds(startServer);
  let folder: string;
  let cert: string;
  let key: string;
  const write = ({ pem, privateKey }: Certificate): void => {
    writeFileSync(cert, pem);
    writeFileSync(key, privateKey, { mode: 0o600 });
  };

  beforeEach(() => {
    folder = newFolder();
    cert = join(folder, "cert.pem");
    key = join(folder, "key.pem");
  });

  const secured = (...args: string[]) => start({ args: ["--tls-cert", cert, "--tls-key", key, ...args] });
  const handshake = ({ url }: ServerProcess, options: ConnectionOptions) =>
    new Promise<{ fingerprint: string; version: string | null }>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), ...options }, () => {
        resolve({
          fingerprint: socket.getPeerX509Certificate()?.fingerprint256 ?? "",
          version: socket.getProtocol(),
        });
        socket.destroy();
      });
      socket.on("error", reject);
    });

  const fingerprintOf = ({ pem }: Certificate): string => new X509Certificate(pem).fingerprint256;
  /** The output of our client, in a process that trusts the authority in the file, or none of ours. */
  async function clientSays(server: ServerProcess, authority?: string): Promise<string> {
    const program = `const { Tunnelplane } = require("@tunnelplane/sdk");
      const api = new Tunnelplane({ baseUrl: process.env.URL, apiKey: process.env.KEY });
      api.ipPolicies.create({ description: "over TLS" }).then(({ uri }) => console.log(uri), ({ message }) => console.log(message)).then(() => api.close());`;
    const env = { ...process.env, URL: server.url, KEY: server.apiKey, NODE_EXTRA_CA_CERTS: authority ?? "" };
    return (
      await promisify(execFile)(process.execPath, ["-e", program], { env, cwd: join(__dirname, "../..") })
    ).stdout.trim();
  }

  it("serves clients that trust its authority with https addresses, tells others what to do, and speaks TLS 1.2 and 1.3, nothing older", async () => {
    const made = forThisMachine();
    write(made);
    const server = await secured();
    expect(server.url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await clientSays(server, cert)).to.match(new RegExp(`^${server.url}/ip_policies/ipp_`));
    expect(await clientSays(server)).to.contain("NODE_EXTRA_CA_CERTS");
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const only = { ca: made.pem, minVersion: version, maxVersion: version };
      expect((await handshake(server, only)).version).to.equal(version);
    }
    const old = {
      ca: made.pem,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    } as const;
    const refused = await handshake(server, old).catch(({ code }) => code);
    expect(refused).to.equal("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  });

  it("loads a renewed certificate on SIGHUP in each of its processes, and keeps the old one if the new one is invalid", async () => {
    const [first, second] = [forThisMachine(), forThisMachine()];
    write(first);
    const server = await secured("--processes", "2");
    const shown = async ({ pem }: Certificate) => (await handshake(server, { ca: pem })).fingerprint;
    const logged = async (text: string) => {
      while (server.log.split(text).length - 1 < 2) await sleep(20);
    };
    writeFileSync(cert, second.pem); // and the key of the first
    server.signal("SIGHUP");
    await logged("does not belong to the certificate");
    for (let process = 0; process < 2; process++) expect(await shown(first)).to.equal(fingerprintOf(first));
    write(second);
    server.signal("SIGHUP");
    await logged("were read again");
    for (let process = 0; process < 2; process++) expect(await shown(second)).to.equal(fingerprintOf(second));
  });

  it("does not start with invalid files, and says which and why in one line", async () => {
    const made = forThisMachine();
    const refusal = async (...args: string[]): Promise<string> => {
      const message = await refusalToServe(await database.create(), { args });
      expect(message).not.to.match(/\n\s+at |BEGIN/);
      return message;
    };
    write(made);
    const absent = join(folder, "none.pem");
    for (const [args, said] of [
      [["--tls-cert", cert], "--tls-key is missing"],
      [["--tls-key", key], "--tls-cert is missing"],
      [["--tls-cert", absent, "--tls-key", key], "Cannot read the TLS certificate"],
      [["--tls-cert", absent, "--tls-key", key], "none.pem"],
      [["--tls-cert", key, "--tls-key", key], `${key} holds no certificate as PEM`],
      [["--tls-cert", cert, "--tls-key", cert], `${cert} holds no private key as PEM`],
    ] as const)
      expect(await refusal(...args)).to.contain(said);
    const both = ["--tls-cert", cert, "--tls-key", key];
    const locked = createPrivateKey(made.privateKey).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "x",
    });
    writeFileSync(key, locked);
    expect(await refusal(...both)).to.contain(`${key} is encrypted; store it without a passphrase`);
    writeFileSync(key, forThisMachine().privateKey);
    expect(await refusal(...both)).to.contain("does not belong to the certificate");
  });

  it("is recommended in the log if plain HTTP is open to other machines, and only then", async () => {
    write(forThisMachine());
    const open = await start({ listen: "0.0.0.0:0" });
    await open.logged("unencrypted");
    const closed = [
      await start(),
      await start({ listen: "0.0.0.0:0", args: ["--tls-cert", cert, "--tls-key", key] }),
    ];
    for (const server of closed) {
      await server.stop();
      expect(server.log).not.to.contain("unencrypted");
    }
    const rest = new Rest(open.url.replace("0.0.0.0", "127.0.0.1"), open.apiKey);
    expect((await rest.get("/ip_policies")).status).to.equal(200);
  });
});
