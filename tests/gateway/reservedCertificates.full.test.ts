import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { serverCertificate } from "../support/api/fixtures";
import { signedChain } from "../support/tlsChains";
import { anotherGateway } from "./another";
import { runningForAllTests } from "./running";
import { tls } from "./traffic";

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("The certificate of a reserved domain", () => {
  const running = runningForAllTests();
  before("start a gateway", () => void running.now.run("--certs", running.now.folder));

  const servedAt = async (port: number, sni: string): Promise<string> => {
    const socket = await tls(port, { sni, rejectUnauthorized: false });
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber.toLowerCase();
  };
  const reserve = async (domain: string, body = serverCertificate(domain)) => {
    const certificate = await running.now.api.tlsCertificates.create(body);
    const { id } = await running.now.api.reservedDomains.create({ domain, certificate_id: certificate.id });
    return { ...certificate, domainId: id };
  };
  const renew = async (domainId: string, domain: string) => {
    const certificate = await running.now.api.tlsCertificates.create(serverCertificate(domain));
    await running.now.api.reservedDomains.update(domainId, { certificate_id: certificate.id });
    return certificate;
  };
  const becomesServed = (
    { serial_number }: { serial_number: string },
    sni: string,
    port = running.now.httpsPort,
  ) =>
    running.now.until(
      async () => (await servedAt(port, sni).catch(() => "not served yet")) === serial_number,
    );

  it("is served by each of two gateways without any file; a replaced one drops no connection of another name", async () => {
    const [host, other] = ["app.example.com", "other.example.com"];
    const another = await anotherGateway(running.now);
    const ports = [running.now.httpsPort, another.port];
    await running.now.site(host);
    await running.now.site(other);
    const first = await reserve(host);
    await becomesServed(await reserve(other), other);
    for (const port of ports) await becomesServed(first, host, port);
    const open: TLSSocket = await tls(running.now.httpsPort, { sni: other, rejectUnauthorized: false });
    const second = await renew(first.domainId, host);
    for (const port of ports) await becomesServed(second, host, port);
    const answered = new Promise<string>((resolve, reject) => {
      open.once("data", (data) => resolve(String(data)));
      open.once("close", () => reject(new Error("the connection of the other name was closed")));
    });
    open.write(`GET / HTTP/1.1\r\nhost: ${other}\r\n\r\n`);
    expect(await answered).to.match(/^HTTP\/1.1 200/);
    open.destroy();
  });

  it("without its intermediate is served with a warning in the report, and with it without one", async () => {
    const host = "chain.example.com";
    const { edge } = await running.now.site(host);
    const { chain, key: private_key_pem } = signedChain(host);
    const [leaf = "", intermediate = ""] = chain;
    const reserved = await reserve(host, { certificate_pem: leaf, private_key_pem });
    await becomesServed(reserved, host);
    const reported = async (isWarned: boolean) =>
      (
        await running.now.reported(
          edge.id,
          ({ state, reason }) => state === "applied" && (reason !== "") === isWarned,
        )
      ).state;
    expect(await reported(true)).to.equal("applied");
    const { reason } = await running.now.reported(edge.id, () => true);
    expect(reason).to.match(
      /^warning: TLS certificate .* lacks the intermediate certificate of "CN=Test Intermediate"/,
    );
    const whole = await running.now.api.tlsCertificates.create({
      ...{ certificate_pem: leaf + intermediate, private_key_pem },
    });
    await running.now.api.reservedDomains.update(reserved.domainId, { certificate_id: whole.id });
    expect(await reported(false)).to.equal("applied");
  });

  it("wins over a file, which serves the name again once the domain is released", async () => {
    const host = "file.example.com";
    const { folder } = running.now;
    const file = serverCertificate(host);
    writeFileSync(join(folder, "file.key"), file.private_key_pem);
    writeFileSync(join(folder, "file.pem"), file.certificate_pem);
    await running.now.site(host);
    await running.now.becomes(200, host);
    const fromFile = { serial_number: await servedAt(running.now.httpsPort, host) };
    const reserved = await reserve(host);
    await becomesServed(reserved, host);
    await running.now.api.reservedDomains.delete(reserved.domainId);
    await becomesServed(fromFile, host);
  });

  it("of a wildcard is served for the names one label below it", async () => {
    const { edge } = await running.now.site("shop.wild.example.com");
    await running.now.api.httpsEdges.update(edge.id, {
      hostports: ["shop.wild.example.com:443", "a.shop.wild.example.com:443"],
    });
    await becomesServed(await reserve("*.wild.example.com"), "shop.wild.example.com");
    const without = "no certificate names a.shop.wild.example.com";
    const { state, reason } = await running.now.reported(edge.id, (one) => one.reason.includes(without));
    expect(state).to.equal("rejected");
    expect(reason).to.contain("reserve the domain");
  });

  it("rests in files that only the gateway's user may read, and in no log and no report", async () => {
    const host = "kept.example.com";
    await running.now.site(host);
    const body = serverCertificate(host);
    await becomesServed(await reserve(host, body), host);
    const secret = body.private_key_pem.split("\n")[1] ?? "";
    const holding = filesIn(running.now.state).filter((file) =>
      readFileSync(file, "latin1").includes(secret),
    );
    expect(holding).to.not.deep.equal([]);
    for (const file of holding) expect((statSync(file).mode & 0o777).toString(8), file).to.equal("600");
    await running.now.reports();
    const status = JSON.stringify(await running.now.status());
    for (const text of [running.now.gateway.log, running.now.server.log, status])
      expect(text).to.not.include(secret);
  });
});
