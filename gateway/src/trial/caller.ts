import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { isHostport, readHostport } from "@tunnelplane/sdk/rules";
import { SIGNING_HEADERS } from "../envoy/webhooks";
import type { Asked } from "./asked";
import type { Authorities } from "./authorities";
import { type HttpAnswer, readAnswer } from "./http1";
import { SIGNED } from "./standIns";
import type { KeySets } from "./tokens";

/** The time for one request. A longer one is a fault. */
const MAX_MS = 5000;
/** Stands in a path for a part that was not recorded. It is longer than any part that is left out. */
const LEFT_OUT = ["…", "x".repeat(33)] as const;

/** The stand-ins that sign certificates and tokens. */
export interface Means {
  readonly authorities: Authorities;
  readonly keySets: KeySets;
}

/** Sends a request as a caller would. Status 0: the connection ended without an answer. */
export async function send(
  request: Asked,
  port: number,
  means: Means,
  more: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const { tls = "1.3", client_certificate: shown } = request;
  const own =
    shown && shown !== "unknown" ? await means.authorities.certificateOf(shown.authority) : undefined;
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => undefined);
  const tooLate = { now: false };
  const timer = setTimeout(() => {
    tooLate.now = true;
    socket.destroy();
  }, MAX_MS);
  try {
    socket.write(proxyLine(request.from, port));
    const spoken = tls === null ? socket : await handshake(socket, request, tls, own);
    const text = `${[...linesOf(request, means, more)].join("\r\n")}\r\n\r\n`;
    const read = spoken ? await readAnswer(spoken, text) : NOTHING;
    if (tooLate.now) throw new Error(`no answer within ${MAX_MS / 1000} s`);
    return read;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

const NOTHING: HttpAnswer = { status: 0, headers: {}, cookies: [], body: "" };

/** The PROXY protocol, version 1: who the caller is. Of a network, its first address. */
function proxyLine(from: string, port: number): string {
  const address = from.split("/")[0] ?? "";
  const family = isIP(address) === 6 ? ["TCP6", "::1"] : ["TCP4", "127.0.0.1"];
  return `PROXY ${family[0]} ${address} ${family[1]} 50000 ${port}\r\n`;
}

/** Undefined if the handshake is refused. */
function handshake(
  socket: Socket,
  { address }: Asked,
  tls: "1.2" | "1.3" | "unknown",
  own: { readonly chain: string; readonly key: string } | undefined,
): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const secure = connectTls({
      socket,
      ...(isHostport(address) && { servername: readHostport(address).host }),
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
      maxVersion: tls === "1.2" ? "TLSv1.2" : "TLSv1.3",
      cert: own?.chain,
      key: own?.key,
    });
    secure.once("secureConnect", () => resolve(secure));
    secure.on("error", () => resolve(undefined)).on("close", () => resolve(undefined));
  });
}

function* linesOf(
  { address, host, method = "GET", path = "/", headers, user_agent, token, webhook }: Asked,
  { keySets }: Means,
  more: Readonly<Record<string, string>>,
): Iterable<string> {
  yield `${method === "unknown" ? "GET" : method} ${(path === "unknown" ? "/" : path).replaceAll(...LEFT_OUT)} HTTP/1.1`;
  yield `host: ${host === undefined || host === "unknown" ? readHostport(address).host : host}`;
  const sent: Record<string, string> = { ...(headers === "unknown" ? {} : headers), ...more };
  // Who sends the one has to name it in the other (RFC 9110 section 7.8).
  const upgrades = Object.keys(sent).some((name) => name.toLowerCase() === "upgrade");
  yield upgrades ? "connection: close, upgrade" : "connection: close";
  if (user_agent != null && user_agent !== "unknown") {
    for (const name of Object.keys(sent)) if (name.toLowerCase() === "user-agent") delete sent[name];
    sent["user-agent"] = user_agent;
  }
  if (token === "invalid") sent.authorization = "Bearer nothing";
  else if (token && token.at.method === "header")
    sent[token.at.name] = `${token.at.prefix}${keySets.sign(token)}`;
  if (webhook === "valid") for (const [name] of Object.values(SIGNING_HEADERS)) sent[name] = SIGNED;
  for (const [name, value] of Object.entries(sent)) yield `${name}: ${value}`;
}
