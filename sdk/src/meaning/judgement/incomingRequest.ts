import { own } from "../../contract/core/narrow";
import { printed } from "../networks/networkSet";
import { type Source, sourceOf } from "../networks/source";
import type { Condition } from "./rules/condition";
import { CALLER_HEADERS, isNavigated } from "./rules/knownHeaders";
import { normalForm, normalFormKeeping } from "./rules/paths";
import { type DecisionRequest, type TrialRequest, UNRECORDED } from "./types";

/** The placeholder in a recorded path for a part that was not recorded. */
export const LEFT_OUT = "…";

/**
 * Headers that expressions never see: the gateway removes these, and Envoy removes those with an underscore.
 */
const REMOVED = /_|^(?:x-forwarded-|x-envoy-|x-tunnelplane-)/;
/** Headers that the gateway writes itself, or that are changed before expressions see them. */
const UNSURE = new Set([
  "x-request-id",
  "x-envoy-external-address",
  "x-forwarded-proto",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Whether expressions see a header as it was sent. */
export const isSeenAsSent = (name: string): boolean =>
  name !== "user-agent" && !UNSURE.has(name) && !REMOVED.test(name) && !CALLER_HEADERS.includes(name);

/** A request as checks see it; undefined stands for what was not recorded. */
export class IncomingRequest {
  readonly tls: "1.2" | "1.3" | null | undefined;
  readonly method: string | undefined;
  /** In normal form; null if the path is answered with 400. */
  readonly path: string | null;
  readonly isPathPartial: boolean;
  /** Whether nothing is known of the path: it may be one that is answered with 400. */
  readonly isPathUnknown: boolean;
  /** The host of the request, in lower case and without a port. */
  readonly host: string | undefined;
  /** The port that its host has; undefined for none. */
  readonly hostPort: number | undefined;
  /** The names of headers as they were sent, by those in lower case. */
  #names: Map<string, string> | undefined;

  private constructor(
    readonly request: DecisionRequest,
    /** The name in TLS, in lower case. */
    readonly sni: string,
    readonly from: Source,
    keepsSlashes: boolean,
  ) {
    const { tls = "1.3", method = "GET", path = "/", host } = request;
    this.tls = tls === UNRECORDED ? undefined : tls;
    this.method = method === UNRECORDED ? undefined : method;
    const form = keepsSlashes ? normalFormKeeping : normalForm;
    this.path = form(path === UNRECORDED ? `/${LEFT_OUT}` : path) ?? null;
    this.isPathUnknown = path === UNRECORDED;
    this.isPathPartial = this.path?.includes(LEFT_OUT) === true;
    const [name, port] = host === undefined || host === UNRECORDED ? [] : apart(host.toLowerCase());
    this.host = host === undefined ? sni : name;
    this.hostPort = port;
  }

  /**
   * Undefined if the source is not an address.
   * @param keepsSlashes whether encoded slashes pass
   */
  static of(request: DecisionRequest, sni: string, keepsSlashes: boolean): IncomingRequest | undefined {
    const from = sourceOf(request.from);
    return from && new IncomingRequest(request, sni, from, keepsSlashes);
  }

  /** The form in which to evaluate a condition. */
  formOf(condition: Condition): Condition {
    return isTrial(this.request) ? this.request.formOf(condition) : condition;
  }

  /** Whether a condition holds, where that is known without a look at the request. */
  truthOf(condition: object): boolean | undefined {
    return isTrial(this.request) ? this.request.truthOf(condition) : undefined;
  }

  /** The address as Envoy prints it; undefined where only a network of it is known. */
  get fromText(): string | undefined {
    const { first, last, family } = this.from;
    return first === last ? printed(BigInt(first), family) : undefined;
  }

  /**
   * Whether a person navigates there; undefined if that was not recorded. Those of comparisons do: who is not
   * signed in is not let in either way.
   */
  get isNavigated(): boolean | undefined {
    return isTrial(this.request) || isNavigated((name) => this.#sent(name));
  }

  /** A header as expressions see it, by its name in lower case; undefined if it is not known. */
  header(name: string): string | undefined {
    const { user_agent } = this.request;
    if (UNSURE.has(name)) return undefined;
    if (REMOVED.test(name) || CALLER_HEADERS.includes(name)) return "";
    if (name === "user-agent" && user_agent !== undefined)
      return user_agent === UNRECORDED ? undefined : (user_agent ?? "");
    return this.#sent(name);
  }

  #sent(name: string): string | undefined {
    const { headers } = this.request;
    if (headers === undefined) return "";
    if (headers === UNRECORDED) return undefined;
    this.#names ??= new Map(Object.keys(headers).map((key) => [key.toLowerCase(), key]));
    // Each header is read when it is asked for: comparisons note which ones are.
    const value = own(headers, this.#names.get(name) ?? name) ?? "";
    return value === UNRECORDED ? undefined : value;
  }
}

const isTrial = (request: DecisionRequest): request is TrialRequest => "truthOf" in request;

/** A host, and its port where it has one. */
function apart(host: string): [name: string, port?: number] {
  const [, name, port] = /^([^:]*):([1-9]\d{0,4})$/.exec(host) ?? [];
  return name !== undefined && Number(port) <= 65_535 ? [name, Number(port)] : [host];
}
