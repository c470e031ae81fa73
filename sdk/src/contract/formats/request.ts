import { isAddress } from "./host";
import { mistakeInHeader } from "./http";

/** The parts of a request that somebody asks about, as the API, commands and trials read them. */

/** Stands for a part that nobody recorded. */
export const UNRECORDED = "unknown";

/** The mistake in the address that a request goes to; undefined if there is none. */
export const mistakeInAddress = (address: string): string | undefined =>
  isAddress(address)
    ? undefined
    : 'must be one "<host>:<port>", such as "app.example.com:443": a domain name or an IP address, and a port from 1 to 65535';

/** The mistake in a Host header. */
export const mistakeInHost = (host: string): string | undefined =>
  isAddress(host) || isAddress(`${host}:1`)
    ? undefined
    : 'must be a domain name or an IP address, with a port if you like, such as "app.example.com"';

/** The mistake in the method of a request (RFC 9110 section 9.1). */
export const mistakeInMethod = (method: string): string | undefined =>
  mistakeInHeader(method) && "is not a method of HTTP, such as GET";

/** The mistake in the target of a request, as it is sent. */
export function mistakeInTarget(path: string): string | undefined {
  if (path === UNRECORDED || path === "*") return undefined;
  if (!path.startsWith("/")) return 'must be a path, which begins with "/", such as "/admin?a=b"';
  if (/[\s\p{Cc}\p{Cs}]/u.test(path))
    return "has a space or control character in its path: write %20 for a space";
  return path.includes("#") ? 'must hold no "#": programs send nothing of what follows it' : undefined;
}
