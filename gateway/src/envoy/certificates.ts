import type { ServerCertificate } from "./model";
import { isWildcard } from "./names";

/** The certificate for a host: the one that names it most closely, and of several the one that ends last. */
export function certificateFor(host: string, certificates: readonly ServerCertificate[], now: number): ServerCertificate | string {
  const parent = `*.${host.split(".").slice(1).join(".")}`;
  const rank = ({ names }: ServerCertificate) => (names.includes(host) ? 2 : !isWildcard(host) && names.includes(parent) ? 1 : 0);
  const fitting = certificates.filter((one) => rank(one) > 0);
  const [best] = fitting
    .filter(({ notBefore, notAfter }) => notBefore <= now && now < notAfter)
    .sort((a, b) => rank(b) - rank(a) || b.notAfter - a.notAfter || (a.chain < b.chain ? -1 : 1));
  if (best) return best;
  const [old] = fitting.sort((a, b) => b.notAfter - a.notAfter);
  if (!old) return `no certificate names ${host}: put one into the certificates' folder, as NAME.pem beside NAME.key`;
  return old.notAfter <= now
    ? `the certificate for ${host} ended at ${new Date(old.notAfter).toISOString()}: put a new one into the certificates' folder`
    : `the certificate for ${host} is not valid before ${new Date(old.notBefore).toISOString()}: check this machine's clock, or put another one into the certificates' folder`;
}
