import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { certificate } from "../support/api/fixtures";
import { atEndOfFile } from "../support/endOfFile";
import { newFolder } from "../support/folder";
import { freePort } from "../support/ports";
import { refusedBeside } from "../support/refusal";
import { StandInServer } from "../support/standIn";
import { runningForAllTests } from "./running";
import { type Answer, http1, tls } from "./traffic";

const PAGE = readFileSync(join(__dirname, "../../docs/how-to/behind-a-load-balancer.md"), "utf8");
const [HOST, PASSED] = ["app.example.com", "passed.example.com"];
/** Whom edges let in, and somebody else of this machine. */
const [FRIEND, STRANGER] = ["127.0.0.2", "127.0.0.3"];
const STREAM = "/usr/lib/nginx/modules/ngx_stream_module.so";
const BALANCERS = { haproxy: ["-db", "-f"], nginx: ["-g", "daemon off;", "-c"] } as const;

/** The page's own lines of a kind, with what they name changed to what is here. */
function linesOf(beginning: string, changed: Readonly<Record<string, string | number>>): string {
  const blocks = [...PAGE.matchAll(/```(?:nginx)?\n(.*?)```/gs)].map(([, block = ""]) => block);
  let text = blocks.find((block) => block.startsWith(beginning)) ?? "";
  for (const [named, here] of Object.entries(changed)) {
    expect(text, `the page's lines that begin with ${beginning}`).to.contain(named);
    text = text.replaceAll(named, String(here));
  }
  return text;
}

/** Starts a real balancer, once it has read its lines without a word about them. */
async function balance(program: keyof typeof BALANCERS, lines: string): Promise<ChildProcess> {
  const file = join(newFolder(), "balancer.conf");
  writeFileSync(file, lines);
  const path = `/usr/sbin/${program}`;
  const check = spawn(path, program === "haproxy" ? ["-c", "-f", file] : ["-t", "-q", "-c", file]);
  let said = "";
  for (const stream of [check.stdout, check.stderr]) stream.on("data", (part) => (said += part));
  const [code] = await once(check, "close");
  expect(said.replace("Configuration file is valid\n", ""), "what it says of its lines").to.equal("");
  expect(code).to.equal(0);
  const child = spawn(path, [...BALANCERS[program], file], { stdio: "ignore" });
  atEndOfFile(() => void child.kill("SIGTERM"));
  return child;
}

/** What nginx needs besides the page's lines where it is not installed as a service. */
const nginx = (lines: string, folder = newFolder()): string =>
  `load_module ${STREAM};\npid ${folder}/pid;\nerror_log ${folder}/log;\nevents {}\n${lines}`;

for (const [name, proxied] of [
  ["HAProxy, by version 2 of the PROXY protocol", true],
  ["HAProxy, by version 1 of the PROXY protocol", true],
  ["nginx, by version 1 of the PROXY protocol", true],
  ["nginx, which ends TLS, by X-Forwarded-For", false],
] as const)
  describe(`Gateways behind ${name}, with the lines of the page`, () => {
    if (!existsSync("/usr/sbin/haproxy") || !existsSync(STREAM))
      return void it.skip("skipped: there is no HAProxy or no nginx with its module for streams here");
    const running = runningForAllTests();
    const passed = certificate({ name: "the server behind" });
    let port: number;
    const ask = (localAddress: string, sni: string = HOST, headers = {}): Promise<Answer> =>
      http1(port, "/", { sni, localAddress, headers });
    const status = async (...args: Parameters<typeof ask>) =>
      (await ask(...args).catch(() => ({ status: 0 }))).status;

    before("start a gateway behind it, and name another one that is away", async () => {
      const one = running.now;
      port = await freePort();
      const policy = await one.api.ipPolicies.create({});
      await one.api.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: `${FRIEND}/32`, action: "allow" });
      const only = { ip_restriction: { ip_policy_ids: [policy.id] } };
      await one.site(HOST, only);
      const { url } = await StandInServer.start((_, answer) => void answer.end(), passed);
      await one.tlsEdge(PASSED, new URL(url).host, {
        ...only,
        tls_termination: { terminate_at: "upstream" },
      });
      const trusted = ["--trust-forwarded", "127.0.0.1/32", ...(proxied ? ["--proxy-protocol"] : [])];
      one.run("--dev-ca", ...trusted);
      const away = { "10.0.0.12:8443": `127.0.0.9:${await freePort()}` };
      const here = { "10.0.0.11:8443": `127.0.0.1:${one.httpsPort}`, ...away };
      if (name.startsWith("HAProxy")) {
        const lines = linesOf("defaults\n", { ":443": `127.0.0.1:${port}`, 4041: one.metricsPort, ...here });
        await balance(
          "haproxy",
          name.includes("version 1") ? lines.replaceAll("send-proxy-v2", "send-proxy") : lines,
        );
      } else if (proxied)
        await balance(
          "nginx",
          nginx(linesOf("stream {", { "listen 443": `listen 127.0.0.1:${port}`, ...here })),
        );
      else await balance("nginx", nginx(ending(port, linesOf("stream {", here))));
      await one.until(async () => (await status(FRIEND)) === 200);
    });

    if (proxied)
      it("pass TLS through to the servers of edges that leave it to them, from the same callers alone", async () => {
        const subject = async (localAddress: string) => {
          const socket = await tls(port, { sni: PASSED, localAddress });
          const { CN } = socket.getPeerCertificate().subject;
          socket.destroy();
          return String(CN);
        };
        await refusedBeside({
          refused: () => subject(STRANGER),
          as: /closed|ECONNRESET|disconnected/,
          allowed: () => subject(FRIEND),
          allowedAs: "the server behind",
        });
      });

    it("let in whom the edge names by his own address, and nobody else, whatever he says of himself", async () => {
      await refusedBeside({
        refused: [
          () => status(STRANGER),
          () => status(STRANGER, HOST, { "x-forwarded-for": FRIEND, forwarded: `for=${FRIEND}` }),
        ],
        as: 403,
        allowed: () => status(FRIEND),
        allowedAs: 200,
      });
      const { headers } = JSON.parse((await ask(FRIEND)).body);
      expect(headers).to.include({ "x-forwarded-for": FRIEND, host: HOST });
      expect(headers["x-forwarded-proto"]).to.equal("https");
    });
  });

/** nginx with a certificate, and the page's lines for layer 7. @param stream those that name the gateways */
function ending(port: number, stream: string): string {
  const { pem, privateKey } = certificate({ name: HOST });
  const folder = newFolder();
  writeFileSync(join(folder, "own.pem"), pem);
  writeFileSync(join(folder, "own.key"), privateKey, { mode: 0o600 });
  const [upstream] = /upstream gateways \{.*\}/.exec(stream) ?? [];
  const [map] = /map \$http_upgrade .*?; \}/.exec(PAGE) ?? [];
  return `http {
  access_log off;
  ${map}
  ${upstream}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/own.pem;
    ssl_certificate_key ${folder}/own.key;
    ${linesOf("location / {", {})}
  }
}`;
}
