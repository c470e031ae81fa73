import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { serverCertificate } from "../support/api/fixtures";
import { anotherGateway } from "./another";
import { runningForEachTest } from "./running";
import { tls } from "./traffic";

/** All files below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("The certificate of a reserved domain", () => {
  const running = runningForEachTest();
  const HOST = "app.example.com";

  /** The serial number of the certificate that is served for a name. */
  const servedAt = async (port: number, sni: string): Promise<string> => {
    const socket = await tls(port, { sni, rejectUnauthorized: false });
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber.toLowerCase();
  };
  const upload = (name = HOST) => running.now.api.tlsCertificates.create(serverCertificate(name));
  const becomesServed = (
    { serial_number: wanted }: { serial_number: string },
    sni = HOST,
    port = running.now.httpsPort,
  ) =>
    running.now.until(async () => {
      try {
        return (await servedAt(port, sni)) === wanted;
      } catch {
        return false; // not served yet
      }
    });

  it("is served without any file, and a replaced one drops no connection of another name", async () => {
    const { api } = running.now;
    running.now.run("--certs", running.now.folder);
    await running.now.site(HOST);
    await running.now.site("other.example.com");
    const first = await upload();
    const { id } = await api.reservedDomains.create({ domain: HOST, certificate_id: first.id });
    const other = await upload("other.example.com");
    await api.reservedDomains.create({ domain: "other.example.com", certificate_id: other.id });
    await becomesServed(first);
    await becomesServed(other, "other.example.com");
    const open: TLSSocket = await tls(running.now.httpsPort, {
      sni: "other.example.com",
      rejectUnauthorized: false,
    });
    const second = await upload();
    await api.reservedDomains.update(id, { certificate_id: second.id });
    await becomesServed(second);
    const answered = new Promise<string>((resolve, reject) => {
      open.once("data", (data) => resolve(String(data)));
      open.once("close", () => reject(new Error("the connection of the other name was closed")));
    });
    open.write("GET / HTTP/1.1\r\nhost: other.example.com\r\n\r\n");
    expect(await answered).to.match(/^HTTP\/1.1 200/);
    open.destroy();
  });

  it("is served by each of two gateways, and so is the one that takes its place", async () => {
    const { api } = running.now;
    running.now.run("--certs", running.now.folder);
    const another = await anotherGateway(running.now);
    try {
      const ports = [running.now.httpsPort, another.port];
      await running.now.site(HOST);
      const first = await upload();
      const { id } = await api.reservedDomains.create({ domain: HOST, certificate_id: first.id });
      for (const port of ports) await becomesServed(first, HOST, port);
      const second = await upload();
      await api.reservedDomains.update(id, { certificate_id: second.id });
      for (const port of ports) await becomesServed(second, HOST, port);
    } finally {
      await another.stop();
    }
  });

  it("wins over a file, which serves the name again once the domain is released", async () => {
    const { api, folder } = running.now;
    const file = serverCertificate(HOST);
    writeFileSync(join(folder, "app.pem"), file.certificate_pem);
    writeFileSync(join(folder, "app.key"), file.private_key_pem);
    running.now.run("--certs", folder);
    await running.now.site(HOST);
    await running.now.becomes(200, HOST);
    const fromFile = { serial_number: await servedAt(running.now.httpsPort, HOST) };
    const object = await upload();
    const { id } = await api.reservedDomains.create({ domain: HOST, certificate_id: object.id });
    await becomesServed(object);
    await api.reservedDomains.delete(id);
    await becomesServed(fromFile);
  });

  it("of a wildcard is served for the names one label below it", async () => {
    running.now.run("--certs", running.now.folder);
    const { edge } = await running.now.site("shop.example.com");
    await running.now.api.httpsEdges.update(edge.id, {
      hostports: ["shop.example.com:443", "a.shop.example.com:443"],
    });
    const wildcard = await upload("*.example.com");
    await running.now.api.reservedDomains.create({ domain: "*.example.com", certificate_id: wildcard.id });
    await becomesServed(wildcard, "shop.example.com");
    const { reason } = await running.now.reported(edge.id, (one) => one.state === "rejected");
    expect(reason).to.contain("no certificate names a.shop.example.com").and.to.contain("reserve the domain");
  });

  it("rests in files that only the gateway's user may read, and in no log and no report", async () => {
    running.now.run("--certs", running.now.folder);
    await running.now.site(HOST);
    const body = serverCertificate(HOST);
    const object = await running.now.api.tlsCertificates.create(body);
    await running.now.api.reservedDomains.create({ domain: HOST, certificate_id: object.id });
    await becomesServed(object);
    const secret = body.private_key_pem.split("\n")[1] ?? "";
    const holding = filesIn(running.now.state).filter((file) =>
      readFileSync(file, "latin1").includes(secret),
    );
    expect(holding).to.not.deep.equal([]);
    for (const file of holding) expect((statSync(file).mode & 0o777).toString(8), file).to.equal("600");
    expect(running.now.gateway.log).to.not.include(secret);
    await running.now.reports();
    expect(JSON.stringify(await running.now.status())).to.not.include(secret);
    expect(running.now.server.log).to.not.include(secret);
  });
});
