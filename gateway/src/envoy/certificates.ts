import { isWildcard } from "./hostports";
import { grouped, onceForEach } from "./indexes";
import type { ServerCertificate } from "./model";

const byName = onceForEach((certificates: readonly ServerCertificate[]) =>
  grouped(certificates, ({ names }) => [...new Set(names)]),
);

/**
 * The certificate for a host: that of a reserved domain where there is one; the one that names it most
 * closely, and of several the one that ends last.
 */
export function certificateFor(
  host: string,
  certificates: readonly ServerCertificate[],
  now: number,
): ServerCertificate | string {
  const parent = `*.${host.split(".").slice(1).join(".")}`;
  const found = [
    byName(certificates).get(host) ?? [],
    isWildcard(host) ? [] : (byName(certificates).get(parent) ?? []),
  ];
  const all = found.map((some) => some.filter(({ fault }) => fault === undefined));
  const isReserved = all.flat().some((one) => one.isReserved);
  const [named = [], covering = []] = all.map((some) =>
    isReserved ? some.filter((one) => one.isReserved) : some,
  );
  for (const fitting of [named, covering]) {
    const [best] = fitting
      .filter(({ notBefore, notAfter }) => notBefore <= now && now < notAfter)
      .sort((a, b) => b.notAfter - a.notAfter || (a.chain < b.chain ? -1 : 1));
    if (best) return best;
  }
  const [old] = [...named, ...covering].sort((a, b) => b.notAfter - a.notAfter);
  const fault = found.flat().find((one) => one.fault !== undefined)?.fault;
  if (fault !== undefined) return fault;
  if (!old)
    return `no certificate names ${host}: reserve the domain with a TLS certificate, or put one into the certificates' folder, as NAME.pem beside NAME.key`;
  return old.notAfter <= now
    ? `the certificate for ${host} ended at ${new Date(old.notAfter).toISOString()}: put a new one into the ${old.isReserved ? "reserved domain" : "certificates' folder"}`
    : `the certificate for ${host} is not valid before ${new Date(old.notBefore).toISOString()}: check this machine's clock, or put another one into the certificates' folder`;
}
