import { lookup } from "node:dns/promises";
import type { Dispatcher } from "undici";
import { isPublic } from "./addresses";
import { notPublic, publicOnly } from "./publicOnly";

interface OtherServersOptions {
  readonly connectMs: number;
  /** Whether hosts may be connected to that are not on the internet. */
  readonly allowPrivate: boolean;
  /** Further authorities, as PEM. */
  readonly ca?: string | undefined;
  /** At most, to one host. */
  readonly connections?: number;
  /** From the question to the answer, and between its parts, in milliseconds. */
  readonly answerMs?: number;
  /** In bytes. */
  readonly maxResponseSize?: number;
}

/**
 * The proxy that the environment names; an empty variable names none. `http://` may be left out.
 * @throws saying which setting is wrong
 */
function proxyFor(scheme: "http" | "https"): string | undefined {
  const names = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`];
  for (const name of names) {
    const text = process.env[name]?.trim();
    if (!text) continue;
    const url = text.includes("://") ? text : `http://${text}`;
    if (/^https?:/i.test(url) && URL.canParse(url)) return url;
    // Without the text: it may hold a password.
    throw new Error(`${name} is not a valid URL: expected "http://proxy.example.com:3128", or leave it out`);
  }
  return undefined;
}

/**
 * Requests to other servers, through the proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, but
 * not for `NO_PROXY`). A proxy looks names up itself, so they are looked up here too, before it is asked.
 */
export class OtherServers {
  readonly #agent: Dispatcher;
  readonly #looksUp: boolean;

  constructor({ connectMs: timeout, allowPrivate, ca, answerMs, ...options }: OtherServersOptions) {
    const { EnvHttpProxyAgent }: typeof import("undici") = require("undici"); // loaded by those who connect
    const connect = { timeout, ...(ca !== undefined && { ca }) };
    const [httpProxy = "", httpsProxy = ""] = [proxyFor("http"), proxyFor("https")];
    this.#looksUp = !allowPrivate && (httpProxy !== "" || httpsProxy !== "");
    this.#agent = new EnvHttpProxyAgent({
      ...options,
      httpProxy,
      httpsProxy,
      ...(answerMs !== undefined && { headersTimeout: answerMs, bodyTimeout: answerMs }),
      ...{
        connect: allowPrivate ? connect : publicOnly(connect),
        requestTls: connect,
        proxyTls: { timeout },
      },
    });
  }

  /** Follows no redirects. */
  async request(
    url: URL,
    options: Omit<Dispatcher.RequestOptions, "origin" | "path">,
  ): Promise<Dispatcher.ResponseData> {
    if (this.#looksUp) await refusePrivate(url.hostname.replace(/^\[|\]$/g, ""));
    return this.#agent.request({ ...options, origin: url.origin, path: url.pathname + url.search });
  }

  async close(): Promise<void> {
    await this.#agent.destroy().catch(() => undefined);
  }
}

/** A name that is not known here may still be known to the proxy. */
async function refusePrivate(host: string): Promise<void> {
  const addresses = await lookup(host, { all: true }).catch(() => []);
  const hidden = addresses.find(({ address }) => !isPublic(address));
  if (hidden) throw notPublic(host, hidden.address);
}
