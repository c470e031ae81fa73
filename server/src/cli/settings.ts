import type { Endpoints } from "../start";
import { domain, host, portRange, proxies, type Setting, wholeNumber } from "./settingOptions";

const DATA: Setting = {
  flag: "--data <folder>",
  env: "TUNNELPLANE_DATA",
  text: "Folder of the embedded database and the master key; with PostgreSQL, only of the master key",
  default: "./.tunnelplane",
};

const DATABASE_URL: Setting = {
  flag: "--database-url <url>",
  env: "TUNNELPLANE_DATABASE_URL",
  text: "PostgreSQL database to use instead (postgres://user:password@host:5432/database); any number of servers may share it. The environment keeps the password out of process lists",
  defaultText: "none",
};

/** The database's, for commands on the one that `--data` names, whatever the environment says. */
export const DATABASE_SETTINGS: readonly Setting[] = [{ ...DATA, beats: [DATABASE_URL.env] }, DATABASE_URL];

/** The master key, for commands that open sealed secrets. */
export const MASTER_KEY_SETTING: Setting = {
  flag: "--master-key-file <file>",
  env: "TUNNELPLANE_MASTER_KEY_FILE",
  text: "File of the master key that seals secrets; made on the first start. Keep a copy",
  defaultText: "`master.key` in the data folder",
  beats: ["TUNNELPLANE_MASTER_KEY"],
  more: "docs/operations.md#master-key-and-data-keys",
};

/** Automatic certificates; see docs/how-to/certificates.md. */
const ACME_SETTINGS: readonly Setting[] = [
  {
    flag: "--acme-directory <url>",
    env: "TUNNELPLANE_ACME_DIRECTORY",
    text: "Directory of the ACME authority that issues certificates for reserved domains with a policy",
    default: "https://acme-v02.api.letsencrypt.org/directory",
    more: "docs/how-to/certificates.md",
  },
  {
    flag: "--acme-contact <email>",
    env: "TUNNELPLANE_ACME_CONTACT",
    text: "Address of email for the account at the authority",
    defaultText: "none",
  },
  {
    flag: "--acme-eab-kid <id>",
    env: "TUNNELPLANE_ACME_EAB_KID",
    text: "Id of the key that the authority gave to bind the account to yours (external account binding)",
    defaultText: "none",
  },
  {
    flag: "--acme-eab-key-file <file>",
    env: "TUNNELPLANE_ACME_EAB_KEY_FILE",
    text: "File with that key in Base64",
    defaultText: "none",
  },
  {
    flag: "--acme-trust <file>",
    env: "TUNNELPLANE_ACME_TRUST",
    text: "PEM of the authorities that vouch for the ACME authority's own server, in the place of the usual ones",
    defaultText: "the usual ones",
  },
  {
    flag: "--acme-dns-command <program>",
    env: "TUNNELPLANE_ACME_DNS_COMMAND",
    text: "Program that makes TXT records: called with present or cleanup, the name and the text; it returns once the record can be seen",
    defaultText: "none; wildcards need one of the two",
  },
  {
    flag: "--acme-dns-server <host:port>",
    env: "TUNNELPLANE_ACME_DNS_SERVER",
    text: "Name server that takes updates (RFC 2136) for TXT records",
    defaultText: "none",
  },
  {
    flag: "--acme-dns-zone <zone>",
    env: "TUNNELPLANE_ACME_DNS_ZONE",
    text: "Zone of that name server in which the records are, for example example.com",
    defaultText: "none",
  },
  {
    flag: "--acme-dns-key-file <file>",
    env: "TUNNELPLANE_ACME_DNS_KEY_FILE",
    text: "File of the key that signs updates (TSIG, hmac-sha256): its name, a space, and the secret in Base64",
    defaultText: "none",
  },
];

/** Where people sign in; see docs/how-to/sign-in.md. */
const SIGN_IN_SETTINGS: readonly Setting[] = [
  {
    flag: "--oidc-issuer <url>",
    env: "TUNNELPLANE_OIDC_ISSUER",
    text: "Issuer URL of the OpenID Connect identity provider at which people sign in",
    defaultText: "none; only API keys",
    more: "docs/how-to/sign-in.md",
  },
  {
    flag: "--oidc-client-id <id>",
    env: "TUNNELPLANE_OIDC_CLIENT_ID",
    text: "This server's client id at the identity provider; its redirect URI there is <public URL>/sign_in/callback",
    defaultText: "none",
  },
  {
    flag: "--oidc-client-secret-file <file>",
    env: "TUNNELPLANE_OIDC_CLIENT_SECRET_FILE",
    text: "File of the client's secret at the identity provider",
    defaultText: "none; a public client",
  },
  {
    flag: "--oidc-scopes <scopes>",
    env: "TUNNELPLANE_OIDC_SCOPES",
    text: "Scopes to ask the identity provider for, with spaces between",
    default: "openid profile email",
  },
  {
    flag: "--oidc-groups-claim <claim>",
    env: "TUNNELPLANE_OIDC_GROUPS_CLAIM",
    text: "Claim with the user's groups: texts, or objects with a name",
    default: "groups",
  },
  {
    flag: "--oidc-username-claim <claim>",
    env: "TUNNELPLANE_OIDC_USERNAME_CLAIM",
    text: "Claim with the user's name",
    default: "email",
  },
  {
    flag: "--oidc-require-groups <groups>",
    env: "TUNNELPLANE_OIDC_REQUIRE_GROUPS",
    text: "Groups, separated by commas; only their users may sign in",
    defaultText: "all may",
  },
];

export const SERVE_SETTINGS: readonly Setting[] = [
  {
    flag: "--listen <host:port>",
    env: "TUNNELPLANE_LISTEN",
    text: "Address to listen on; port 0 takes a free one",
    default: "127.0.0.1:4040",
  },
  DATA, // of the master key, where the environment names another database
  DATABASE_URL,
  MASTER_KEY_SETTING,
  {
    env: "TUNNELPLANE_MASTER_KEY",
    text: "The master key itself (32 bytes in base64 or hex), instead of a file",
    defaultText: "the file",
  },
  {
    flag: "--database-pool <count>",
    env: "TUNNELPLANE_DATABASE_POOL",
    text: "Most connections to PostgreSQL that each server opens, besides one for the event log",
    default: 8,
    parse: wholeNumber(1, 9999),
  },
  {
    flag: "--public-url <url>",
    env: "TUNNELPLANE_PUBLIC_URL",
    text: "Base URL for the addresses in answers and events, for clients behind a proxy; identity tokens are made for it",
    defaultText: "the URL that the client used",
  },
  {
    flag: "--tls-cert <file>",
    env: "TUNNELPLANE_TLS_CERT",
    text: "TLS certificate (PEM, followed by its chain); the server then speaks TLS 1.2 and later. SIGHUP reads it again",
    defaultText: "plain HTTP",
  },
  {
    flag: "--tls-key <file>",
    env: "TUNNELPLANE_TLS_KEY",
    text: "Private key of the TLS certificate (PEM)",
    defaultText: "none",
  },
  {
    flag: "--rate-limit <count>",
    env: "TUNNELPLANE_RATE_LIMIT",
    text: "Requests per second for an API key, plus ten seconds' worth in each minute for bursts; 0 for no limit",
    default: 100,
    parse: wholeNumber(0, 1_000_000),
  },
  {
    flag: "--rate-limit-loopback",
    env: "TUNNELPLANE_RATE_LIMIT_LOOPBACK",
    text: "Apply the rate limit to clients on the same machine, too",
    default: false,
  },
  {
    flag: "--concurrency-limit <count>",
    env: "TUNNELPLANE_CONCURRENCY_LIMIT",
    text: "Requests at once, at most half of them from one owner; further ones get a 503; 0 for no limit",
    default: 128,
    more: "docs/operations.md#too-many-requests",
    parse: wholeNumber(0, 1_000_000),
  },
  {
    flag: "--processes <count>",
    env: "TUNNELPLANE_PROCESSES",
    text: "Processes that serve the address together; as many as there are processors answer the most reads",
    default: 1,
    more: "docs/operations.md#several-processes",
    parse: wholeNumber(1, 64),
  },
  {
    flag: "--trust-proxy <addresses>",
    env: "TUNNELPLANE_TRUST_PROXY",
    text: "Proxies whose X-Forwarded-For, -Proto and -Host are trusted: addresses and networks, separated by commas, or loopback",
    defaultText: "none",
    parse: proxies,
  },
  {
    flag: "--request-timeout <seconds>",
    env: "TUNNELPLANE_REQUEST_TIMEOUT",
    text: "Time limit for a request to arrive, in seconds",
    default: 30,
    parse: wholeNumber(1, 3600),
  },
  {
    flag: "--keep-alive-timeout <seconds>",
    env: "TUNNELPLANE_KEEP_ALIVE_TIMEOUT",
    text: "Time limit for an idle connection, in seconds",
    default: 72,
    parse: wholeNumber(1, 3600),
  },
  {
    flag: "--shutdown-limit <seconds>",
    env: "TUNNELPLANE_SHUTDOWN_LIMIT",
    text: "Time for requests in flight to finish when the server stops, in seconds",
    default: 10,
    parse: wholeNumber(0, 3600),
  },
  {
    flag: "--event-endpoint <service>=<url>",
    env: "TUNNELPLANE_EVENT_ENDPOINTS",
    text: "Another address for a service that receives events; may be repeated",
    defaultText: "the service's own",
    more: "docs/events.md#other-addresses",
    parse(text: string, before?: Endpoints) {
      const { parseEndpoints }: typeof import("../start") = require("../start");
      return parseEndpoints(text, before);
    },
  },
  {
    flag: "--allow-private-targets",
    env: "TUNNELPLANE_ALLOW_PRIVATE_TARGETS",
    text: "Allow event destinations, and issuers of identity tokens, in private networks",
    defaultText: "false",
  },
  {
    flag: "--tcp-address <host>",
    env: "TUNNELPLANE_TCP_ADDRESS",
    text: "The host of reserved addresses",
    defaultText: "the host of --public-url, or localhost",
    parse: host,
  },
  {
    flag: "--tcp-ports <first-last>",
    env: "TUNNELPLANE_TCP_PORTS",
    text: "The ports of reserved addresses",
    defaultText: "20000-29999",
    parse: portRange,
  },
  {
    flag: "--require-reserved-domains",
    env: "TUNNELPLANE_REQUIRE_RESERVED_DOMAINS",
    text: "Refuse hostports of edges that no reserved domain of their project covers",
    default: false,
  },
  {
    flag: "--cname-target <host>",
    env: "TUNNELPLANE_CNAME_TARGET",
    text: "The name to which CNAME records of reserved domains should lead; answers say it",
    defaultText: "none",
    parse: domain,
  },
  ...ACME_SETTINGS,
  ...SIGN_IN_SETTINGS,
  {
    flag: "--event-retention <days>",
    env: "TUNNELPLANE_EVENT_RETENTION",
    text: "Days to keep delivered events",
    default: 30,
    parse: wholeNumber(1, 36_500),
  },
  {
    flag: "--log-level <level>",
    env: "TUNNELPLANE_LOG_LEVEL",
    text: "Log level (JSON lines, on standard error)",
    default: "info",
    choices: ["silent", "error", "warn", "info", "debug"],
  },
  {
    env: "TUNNELPLANE_BOOTSTRAP_API_KEY",
    text: "The first admin's API key; later starts ignore it, so that a deleted key stays deleted",
    defaultText: "one is made, and shown once",
    more: "docs/operations.md#a-lost-admin-key",
  },
];
