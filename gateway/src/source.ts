import { setTimeout as sleep } from "node:timers/promises";
import { Tunnelplane } from "@tunnelplane/sdk";
import type { KeyCredential } from "./agents/keysAuthority";

export interface Entry {
  readonly kind: string;
  readonly fields: object;
}

/** Where objects come from. */
export interface Source {
  /** All that a gateway obeys. */
  read(): Promise<readonly Entry[]>;
  /** The keys that agents may come with. */
  keys(): Promise<readonly KeyCredential[]>;
  /** Resolves when it is time to read again. */
  changed(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const EVERY_MS = 1000;

/** Asks a server again and again, with an ordinary API key. */
export class PollingSource implements Source {
  readonly #api: Tunnelplane;

  constructor(options: { readonly baseUrl: string; readonly apiKey: string }) {
    this.#api = new Tunnelplane({ ...options, timeoutMs: 10_000, connections: 4 });
  }

  async read(): Promise<Entry[]> {
    const api = this.#api;
    const lists: Readonly<Record<string, { list(): AsyncIterable<object> }>> = {
      tls_edge: api.tlsEdges,
      https_edge: api.httpsEdges,
      tunnel_group_backend: api.tunnelGroupBackends,
      failover_backend: api.failoverBackends,
      weighted_backend: api.weightedBackends,
      http_response_backend: api.httpResponseBackends,
      static_backend: api.staticBackends,
      ip_policy_rule: api.ipPolicyRules,
      certificate_authority: api.certificateAuthorities,
    };
    const entries: Entry[] = [];
    for (const [kind, collection] of Object.entries(lists)) for await (const fields of collection.list()) entries.push({ kind, fields });
    return entries;
  }

  async keys(): Promise<KeyCredential[]> {
    const keys: KeyCredential[] = [];
    for await (const credential of this.#api.sshCredentials.list()) keys.push(credential);
    return keys;
  }

  async changed(signal: AbortSignal): Promise<void> {
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#api.close();
  }
}
