import { isIP, SocketAddress } from "node:net";
import {
  durationSeconds,
  GATEWAY_NAME,
  GATEWAY_NAME_FORM,
  mistakeInCidr,
  plainAddress,
} from "@tunnelplane/sdk/contract";
import { switchReader } from "@tunnelplane/sdk/node";
import { InvalidArgumentError, Option } from "commander";
import { boundAt } from "../environment/ports";
import type { EnvironmentFlags } from "../environment/source";
import { type Address, readAddress } from "../envoy/address";
import type { Listen } from "../envoy/model";

/** Adds `[PORT=]ADDRESS:PORT` to those that came before. */
export function listenOption(text: string, previous: readonly Listen[] = []): Listen[] {
  const [, port, address, bind] = /^(?:(\d+)=)?(\[[^\]]+\]|[^:]+):(\d+)$/.exec(text) ?? [];
  const host = address?.replace(/^\[|\]$/g, "") ?? "";
  const [serves, bindPort] = [Number(port ?? bind), Number(bind)];
  if (!isIP(host) || ![serves, bindPort].every((one) => one >= 1 && one <= 65535))
    throw new InvalidArgumentError(
      'Expected [PORT=]ADDRESS:PORT with an IP address, for example "0.0.0.0:443", or "443=127.0.0.1:8443" to serve hostports of port 443 there.',
    );
  const listen = { port: serves, address: inOneForm(host), bindPort };
  const rival = previous.find((one) => boundAt(one) === boundAt(listen));
  if (rival)
    throw new InvalidArgumentError(
      `"${rival.port}=${boundAt(rival)}" already listens there, and one address serves one port: choose another address or port for one of them.`,
    );
  return [...previous, listen];
}

/** The address in the form that Envoy writes too; an address with a zone would lose that. */
const inOneForm = (address: string): string =>
  isIP(address) === 4 || address.includes("%")
    ? address
    : new SocketAddress({ address, family: "ipv6" }).address;

/** Only an IP address, as Envoy writes it. */
export function ipOption(text: string): string {
  const address = text.replace(/^\[|\]$/g, "");
  if (isIP(address)) return inOneForm(address);
  throw new InvalidArgumentError('Expected an IP address without a port, for example "0.0.0.0" or "::".');
}

export function addressOption(text: string): Address {
  const { host, port } = readAddress(/^(\[[^\]]+\]|[^:]+):\d+$/.test(text) ? text : "");
  if ((isIP(host) || host === "localhost") && port >= 1 && port <= 65535) return { host, port };
  throw new InvalidArgumentError('Expected ADDRESS:PORT with an IP address, for example "127.0.0.1:4041".');
}

/** Adds networks in CIDR notation, with commas between, to those that came before. */
export function networksOption(text: string, previous: readonly string[] = []): string[] {
  const networks = text.split(",").map((one) => one.trim());
  for (const network of networks) {
    const fault = mistakeInCidr(network);
    if (fault !== undefined) throw new InvalidArgumentError(`${JSON.stringify(network)} ${fault}.`);
  }
  return [...previous, ...networks.map(plainAddress)];
}

/** Adds the name of a project, or several with commas between, to those that came before. */
export function projectsOption(text: string, previous: readonly string[] = []): string[] {
  const names = text.split(",").map((one) => one.trim());
  if (names.includes(""))
    throw new InvalidArgumentError('Expected the name of a project, for example "shop".');
  return [...previous, ...names];
}

/** The name of a gateway, in a form that the server takes. */
export function nameOption(text: string): string {
  if (GATEWAY_NAME.test(text)) return text;
  throw new InvalidArgumentError(`Expected ${GATEWAY_NAME_FORM}.`);
}

const [HOUR_MS, MAX_MS] = [3_600_000, 366 * 86_400_000];

/** A length of time, in milliseconds: traffic is counted by the hour. */
export function hoursOption(text: string): number {
  const milliseconds = durationSeconds(text) * 1000;
  if (milliseconds >= HOUR_MS && milliseconds <= MAX_MS) return milliseconds;
  throw new InvalidArgumentError('Expected a length of time from "1h" to "366d", for example "24h" or "7d".');
}

export const stateOption = (): Option =>
  new Option("--state <folder>", "folder for everything that the gateway keeps")
    .env("TUNNELPLANE_GATEWAY_STATE")
    .default("./.tunnelplane-gateway");

export const commonOptions = (): Option[] => [
  new Option("--url <url>", "address of the server")
    .env("TUNNELPLANE_BASE_URL")
    .default("http://127.0.0.1:4040"),
  new Option("--api-key <key>", "an API key; better in the environment, where other users do not see it").env(
    "TUNNELPLANE_API_KEY",
  ),
  new Option("--certs <folder>", "certificates and keys of hostports: NAME.pem or NAME.crt beside NAME.key"),
  new Option("--dev-ca", "make certificates with a local authority, for development").default(false),
  new Option(
    "--listen <[port=]address:port>",
    "address at which to serve hostports of a port; may be repeated",
  ).argParser(listenOption),
  new Option(
    "--tcp-listen <address>",
    "address at which to serve the ports of TCP edges, such as 0.0.0.0 (default: none, so TCP edges are rejected)",
  )
    .env("TUNNELPLANE_GATEWAY_TCP_LISTEN")
    .argParser(ipOption),
  new Option(
    "--trust-forwarded <cidr>",
    "network of load balancers in front, whose X-Forwarded-For says who the caller is; may be repeated",
  )
    .env("TUNNELPLANE_GATEWAY_TRUST_FORWARDED")
    .argParser(networksOption),
  new Option(
    "--proxy-protocol [boolean]",
    "the balancers of --trust-forwarded begin each connection with the PROXY protocol; nobody else may connect",
  )
    .env("TUNNELPLANE_GATEWAY_PROXY_PROTOCOL")
    .preset("true")
    .argParser(switchReader(InvalidArgumentError))
    .default(false),
  new Option("--project <name>", "serve edges of this project; may be repeated (default: of all projects)")
    .env("TUNNELPLANE_GATEWAY_PROJECT")
    .argParser(projectsOption),
  stateOption(),
  new Option(
    "--trust <file>",
    "PEM of the authorities that upstreams, issuers and key sets are checked against (default: the system's)",
  ),
  new Option(
    "--allow-upstreams <cidr>",
    "let backends, issuers and key sets be in this network, which is denied; may be repeated",
  )
    .env("TUNNELPLANE_GATEWAY_ALLOW_UPSTREAMS")
    .argParser(networksOption),
  new Option(
    "--deny-upstreams <cidr>",
    "refuse backends, issuers and key sets in this network, too; link-local addresses, the gateway's own and the server's are always refused; may be repeated",
  )
    .env("TUNNELPLANE_GATEWAY_DENY_UPSTREAMS")
    .argParser(networksOption),
];

export interface CommonFlags extends EnvironmentFlags {
  readonly apiKey?: string;
  /** The names of the projects whose edges are served. */
  readonly project?: readonly string[];
}
