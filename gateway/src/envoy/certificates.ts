import { isWildcard } from "./hostports";
import { grouped, onceForEach } from "./indexes";
import type { ServerCertificate } from "./model";

const byName = onceForEach((certificates: readonly ServerCertificate[]) =>
  grouped(certificates, ({ names }) => [...new Set(names)]),
);

/**
 * The certificate for a host, or why there is none. One of a reserved domain comes before those of the
 * folder, one that names the host itself before a wildcard, and the one that ends last before others.
 */
export function certificateFor(
  host: string,
  certificates: readonly ServerCertificate[],
  now: number,
): ServerCertificate | string {
  const parent = `*.${host.split(".").slice(1).join(".")}`;
  const byHost = byName(certificates).get(host) ?? [];
  const byParent = isWildcard(host) ? [] : (byName(certificates).get(parent) ?? []);
  const usable = [...byHost, ...byParent].filter(({ fault }) => fault === undefined);
  const reserved = usable.filter(({ isReserved }) => isReserved);
  const candidates = new Set(reserved.length > 0 ? reserved : usable);
  for (const named of [byHost, byParent]) {
    const [best] = named
      .filter((one) => candidates.has(one) && one.notBefore <= now && now < one.notAfter)
      .sort((a, b) => b.notAfter - a.notAfter || (a.chain < b.chain ? -1 : 1));
    if (best) return best;
  }
  const [old] = [...candidates].sort((a, b) => b.notAfter - a.notAfter);
  const fault = [...byHost, ...byParent].find((one) => one.fault !== undefined)?.fault;
  if (fault !== undefined) return fault;
  if (!old)
    return `no certificate names ${host}: reserve the domain with a TLS certificate, or put one into the certificates' folder, as NAME.pem beside NAME.key`;
  return old.notAfter <= now
    ? `the certificate for ${host} ended at ${new Date(old.notAfter).toISOString()}: put a new one into the ${old.isReserved ? "reserved domain" : "certificates' folder"}`
    : `the certificate for ${host} is not valid before ${new Date(old.notBefore).toISOString()}: check this machine's clock, or put another one into the certificates' folder`;
}
