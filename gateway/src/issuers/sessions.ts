import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject } from "@tunnelplane/sdk/contract";
import { boundTo, type SessionRules } from "../envoy/sessionRules";
import { Refused } from "./redeem";

/** A session that ends without requests is renewed so many times in that time. */
const STEPS = 10;
const stepOf = ({ idle }: SessionRules): number => Math.max(1, Math.floor(idle / STEPS));

/** Of a token that Envoy keeps: in its five cookies it is encrypted, and in Base64. */
const MAX_TOKEN_LENGTH = 14_900;

/** What a session holds that has to be renewed; its browser keeps it, and cannot change it. */
interface Held {
  /** When the user signed in, and when it was renewed last, in seconds since 1970. */
  readonly since: number;
  readonly used: number;
  readonly idToken?: string | undefined;
}

/** The answer of a token endpoint, as Envoy reads it. */
export interface Session {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** In seconds: until the session ends, or is renewed. */
  readonly expires_in: number;
  readonly id_token?: string | undefined;
  readonly refresh_token?: string | undefined;
}

/** Begins sessions and renews them. No token of an issuer renews one, so an issuer cannot prolong them. */
export class Sessions {
  /** @param key the gateway's own */
  constructor(private readonly key: string) {}

  /** @throws Refused if the ID token does not fit */
  begin(rules: SessionRules, idToken: string | undefined, now = Date.now()): Session {
    const second = Math.floor(now / 1000);
    const held = { since: second, used: second, ...(rules.keepsIdToken && { idToken }) };
    const session = this.#session(rules, held);
    for (const { length } of [session.id_token ?? "", session.refresh_token ?? ""])
      if (length > MAX_TOKEN_LENGTH)
        throw new Refused(
          `its ID token, whose claims the route looks at, is too large for cookies (${length} of ${MAX_TOKEN_LENGTH} characters): have it put fewer claims (groups) into ID tokens`,
        );
    return session;
  }

  /**
   * Undefined where it is over, or none of this gateway's with these rules, or not yet to be renewed: Envoy
   * asks for one whose cookies were changed, too.
   */
  renew(rules: SessionRules, token: string): Session | undefined {
    const held = this.#open(rules, token);
    if (!held || rules.idle === 0) return undefined;
    const second = Math.floor(Date.now() / 1000);
    if (second >= held.since + rules.longest || second >= held.used + rules.idle) return undefined;
    if (second < held.used + stepOf(rules)) return undefined;
    return this.#session(rules, { ...held, used: second });
  }

  #session(rules: SessionRules, held: Held): Session {
    const left = held.since + rules.longest - held.used;
    const start = { access_token: "of a session", token_type: "Bearer", id_token: held.idToken } as const;
    if (rules.idle === 0) return { ...start, expires_in: left };
    return { ...start, expires_in: Math.min(left, stepOf(rules)), refresh_token: this.#seal(rules, held) };
  }

  #seal(rules: SessionRules, held: Held): string {
    const text = Buffer.from(JSON.stringify(held)).toString("base64url");
    return `${text}.${this.#mac(rules, text)}`;
  }

  #open(rules: SessionRules, token: string): Held | undefined {
    const [text = "", mac = ""] = token.split(".");
    const [sent, own] = [Buffer.from(mac), Buffer.from(this.#mac(rules, text))];
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) return undefined;
    const held: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!isObject(held)) return undefined;
    const { since, used, idToken } = held;
    return {
      since: Number(since),
      used: Number(used),
      idToken: typeof idToken === "string" ? idToken : undefined,
    };
  }

  #mac = (rules: SessionRules, text: string): string =>
    createHmac("sha256", this.key)
      .update(`session ${boundTo(rules)} ${text}`)
      .digest("base64url");
}
