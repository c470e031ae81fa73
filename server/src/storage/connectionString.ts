/** A database as a connection string names it. */
export interface ConnectionString {
  /** One for each host: what pg connects to. */
  readonly urls: readonly string[];
  /** Hosts and database, for people, without a password. */
  readonly label: string;
}

/** More would be a mistake; each may take seconds to try. */
const MAX_HOSTS = 16;
const WRITING = ["any", "read-write", "primary"];
/** What a server cannot work with: it writes. */
const READING = ["read-only", "standby", "prefer-standby"];

/** Ways that libpq tries in turn, neither of which proves who the server is; pg knows one at a time. */
const WAYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["prefer", ["no-verify", "disable"]],
  ["allow", ["disable", "no-verify"]],
]);

const FORM =
  'The database URL must look like "postgres://user:password@host:5432/database", with percent-encoding where user or password have special characters (%40 for @)';

interface Parts {
  readonly user: string;
  readonly password: string;
  /** As they are written, with commas in between. */
  readonly host: string;
  readonly port: string;
  readonly database: string;
  /** The rest. */
  readonly more: URLSearchParams;
}

/**
 * Reads a connection string as libpq has them: a URL, or words such as `host=db dbname=tunnels`; with several
 * hosts, or the folder of a socket. Refuses others without repeating them, because they may hold a password.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
 */
export function readConnection(text: string): ConnectionString {
  const parts = /^postgres(ql)?:/.test(text) ? partsOfUrl(text) : partsOfWords(text);
  const hosts = parts.host.split(",");
  const ports = parts.port.split(",");
  if (hosts.length > MAX_HOSTS || (ports.length > 1 && ports.length !== hosts.length))
    throw new Error(`${FORM}; it may name up to ${MAX_HOSTS} hosts, and a port for all or for each of them`);
  const wanted = parts.more.get("target_session_attrs") ?? "";
  if (READING.includes(wanted))
    throw new Error(
      `The database URL asks for target_session_attrs=${wanted}, but a server writes: leave it out, or use read-write`,
    );
  if (wanted !== "" && !WRITING.includes(wanted))
    throw new Error(
      `The database URL has an unknown target_session_attrs: expected ${WRITING.join(", ")}, or nothing`,
    );
  for (const name of ["target_session_attrs", "connect_timeout", "load_balance_hosts"])
    parts.more.delete(name);
  const addresses = hosts.map((host, index) => ({ host, port: ports[index] ?? ports[0] ?? "" }));
  const named = addresses.map(({ host, port }) => encodeURI(host) + (port && `:${port}`)).join(",");
  return {
    urls: addresses.flatMap((at) => waysOf(parts).map((more) => urlOf({ ...parts, more }, at))),
    label: `postgres://${named}/${encodeURI(parts.database)}`,
  };
}

function waysOf({ more }: Parts): URLSearchParams[] {
  const ways = WAYS.get(more.get("sslmode") ?? "");
  if (!ways) return [more];
  return ways.map((sslmode) => new URLSearchParams({ ...Object.fromEntries(more), sslmode }));
}

/** pg takes host and port of the parameters first. */
function urlOf({ user, password, database, more }: Parts, at: { host: string; port: string }): string {
  const parameters = new URLSearchParams(more);
  for (const [name, value] of Object.entries(at)) if (value) parameters.set(name, value);
  const secret = password && `:${encodeURIComponent(password)}`;
  const caller = user || password ? `${encodeURIComponent(user)}${secret}@` : "";
  const rest = `${encodeURIComponent(database)}?${parameters}`.replaceAll("+", "%20");
  return `postgres://${caller}${at.host ? "host" : ""}/${rest}`;
}

const URL_FORM =
  /^postgres(?:ql)?:\/\/(?:([^@/?#:]*)(?::([^@/?#]*))?@)?([^/?#@]*)(?:\/([^?#@/]*))?(?:\?([^#@]*))?$/;
/** An address in brackets, or a name, a port behind it. */
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i;

function partsOfUrl(text: string): Parts {
  const [, user = "", password = "", list = "", database = "", query = ""] = URL_FORM.exec(text) ?? [];
  const hosts = list.split(",").map((one) => HOST.exec(one));
  // An unencoded "@", "#", "?" or "/" would put part of a password into the shown parts.
  if (!URL_FORM.test(text) || hosts.includes(null)) throw new Error(FORM);
  const more = new URLSearchParams(query);
  const given = {
    ...{ user: decoded(user), password: decoded(password), database: decoded(database) },
    host: hosts.map((one) => decoded(one?.[1] ?? "").replace(/^\[(.*)\]$/, "$1")).join(","),
    port: hosts.some((one) => one?.[2]) ? hosts.map((one) => one?.[2] ?? "5432").join(",") : "",
  };
  return withParameters(given, more);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(FORM);
  }
}

const WORD = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)+)|(?=\s|$))/gy;

function partsOfWords(text: string): Parts {
  const more = new URLSearchParams();
  let read = 0;
  for (const [found, name = "", quoted, plain = ""] of text.matchAll(WORD)) {
    more.set(name, (quoted ?? plain).replace(/\\(.)/g, "$1"));
    read += found.length;
  }
  if (read === 0 || text.slice(read).trim() !== "") throw new Error(FORM);
  return withParameters({ user: "", password: "", host: "", port: "", database: "" }, more);
}

/** Parameters may name what the rest of the string can name too. */
function withParameters(given: Omit<Parts, "more">, more: URLSearchParams): Parts {
  const take = (name: string, otherwise: string): string => {
    const value = more.get(name) ?? otherwise;
    more.delete(name);
    return value;
  };
  return {
    user: take("user", given.user),
    password: take("password", given.password),
    host: take("host", take("hostaddr", given.host)),
    port: take("port", given.port),
    database: take("dbname", given.database),
    more,
  };
}
