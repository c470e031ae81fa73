/**
 * The methods that gateways take, in this case only: those that Envoy's HTTP/1.1 reads. All others are
 * answered with 400, whatever is declared and whatever version of HTTP carries them.
 */
export const METHODS = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "HEAD",
  "PATCH",
  "ACL",
  "BIND",
  "CHECKOUT",
  "COPY",
  "LINK",
  "LOCK",
  "MERGE",
  "MKACTIVITY",
  "MKCALENDAR",
  "MKCOL",
  "MOVE",
  "NOTIFY",
  "PROPFIND",
  "PROPPATCH",
  "PURGE",
  "REBIND",
  "REPORT",
  "SEARCH",
  "SOURCE",
  "SUBSCRIBE",
  "TRACE",
  "UNBIND",
  "UNLINK",
  "UNLOCK",
  "UNSUBSCRIBE",
] as const;

const known = new Set<string>(METHODS);

export const isMethod = (text: string): boolean => known.has(text);
