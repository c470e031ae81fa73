import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { serverCertificate } from "../../../tests/support/api/fixtures";
import type { Section } from "../report/section";
import type { Settings } from "../settings";
import { GatewayWorld, percentile } from "./world";

const GOAL_MS = 2_000;

/** How soon two gateways serve the certificate of a reserved domain, at first and when another takes its place. */
export async function measureCertificates({ enforced }: Settings): Promise<Section[]> {
  const world = await GatewayWorld.start();
  try {
    await world.serve();
    const ports = [world.port, await world.serveBeside("two")];
    const { api } = world;
    const [created, replaced]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < enforced; turn++) {
      const domain = `reserved-${turn}.example.com`;
      await api.httpsEdges.create({ hostports: [`${domain}:443`] });
      const [first, second] = [serverCertificate(domain), serverCertificate(domain)];
      let started = performance.now();
      const { id, serial_number } = await api.tlsCertificates.create(first);
      const reserved = await api.reservedDomains.create({ domain, certificate_id: id });
      await served(ports, domain, serial_number);
      created.push(performance.now() - started);
      started = performance.now();
      const other = await api.tlsCertificates.create(second);
      await api.reservedDomains.update(reserved.id, { certificate_id: other.id });
      await served(ports, domain, other.serial_number);
      replaced.push(performance.now() - started);
    }
    return [
      {
        part: "gateway",
        title: "From a certificate at the server to both of two gateways",
        note: `From the request that creates the certificate until new connections to both gateways get it, asked every 2 ms; all on one machine. The goal is ${GOAL_MS / 1000} s.`,
        columns: { change: "Change", times: "Times", p50: "p50 (ms)", most: "Most (ms)" },
        rows: Object.entries({ "a first certificate": created, "one in its place": replaced }).map(
          ([change, times]) => ({
            change,
            times: times.length,
            p50: Math.round(percentile(times, 0.5)),
            most: Math.round(Math.max(...times)),
          }),
        ),
      },
    ];
  } finally {
    await world.stop();
  }
}

async function served(ports: readonly number[], name: string, serial: string): Promise<void> {
  await Promise.all(
    ports.map(async (port) => {
      while ((await serialAt(port, name)) !== serial) await sleep(2);
    }),
  );
}

const serialAt = (port: number, servername: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket: TLSSocket = connect(
      { host: "127.0.0.1", port, servername, rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate().serialNumber.toLowerCase());
        socket.destroy();
      },
    );
    socket.on("error", () => resolve(undefined));
  });
