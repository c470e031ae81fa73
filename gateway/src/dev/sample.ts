import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tunnelplane } from "@tunnelplane/sdk";
import { Client, utils } from "ssh2";
import { keptOr } from "../state/files";

/** A name under which a browser and `curl` find this machine without DNS (RFC 6761). */
export const SAMPLE_HOST = "app.localhost";
/** What agents of the sample bind. */
export const SAMPLE_BIND = "service=web";
const PORT = 443;
/** Before an agent that was cut off comes again. */
const PAUSE_MS = 500;

/** The key of the sample's agents. */
export interface AgentKey {
  /** A file that `ssh -i` takes. */
  readonly file: string;
  readonly privateKey: string;
  readonly publicKey: string;
}

export function agentKey(folder: string): AgentKey {
  const file = join(folder, "agent");
  const privateKey = keptOr(file, () => utils.generateKeyPairSync("ed25519", { comment: "agent" }).private);
  const parsed = utils.parseKey(privateKey);
  if (parsed instanceof Error) throw new Error(`${file} holds no key (${parsed.message}): remove it`);
  return { file, privateKey, publicKey: `ssh-ed25519 ${parsed.getPublicSSH().toString("base64")}` };
}

/** Declares an edge, what it needs, and who may serve it. Where all of that is there, nothing happens. */
export async function declareSample(client: Tunnelplane, { publicKey }: AgentKey): Promise<void> {
  const [label = "", value] = SAMPLE_BIND.split("=");
  await client.changesets.apply({
    set: "dev",
    objects: [
      { kind: "tunnel_group_backend", key: "web", fields: { labels: { [label]: value } } },
      { kind: "https_edge", key: "app", fields: { hostports: [`${SAMPLE_HOST}:${PORT}`] } },
      {
        kind: "https_edge_route",
        key: "app",
        fields: {
          edge_id: { $key: "https_edge/app" },
          match_type: "path_prefix",
          match: "/",
          backend: { backend_id: { $key: "tunnel_group_backend/web" } },
        },
      },
      {
        kind: "ssh_credential",
        key: "agent",
        fields: { public_key: publicKey, acl: [`bind:${SAMPLE_BIND}`] },
      },
    ],
  });
}

interface Addresses {
  readonly ssh: { readonly host: string; readonly port: number };
  /** The sample app. */
  readonly app: { readonly host: string; readonly port: number };
}

/** An agent that leads to the sample app, as `ssh -R` does, until `stop` is called. */
export class SampleAgent {
  #client: Client | undefined;
  #isStopped = false;

  constructor(
    readonly key: AgentKey,
    private readonly addresses: Addresses,
  ) {}

  /** Resolves when callers can reach the app. */
  async start(): Promise<void> {
    for (;;) {
      const isBound = await this.#bound().catch(() => false);
      if (isBound || this.#isStopped) return;
      await sleep(PAUSE_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#client?.end();
  }

  #startAgain(): void {
    if (!this.#isStopped) void this.start();
  }

  /** Resolves when the bind is accepted. From then on, it is made again whenever the connection ends. */
  #bound(): Promise<true> {
    const client = new Client();
    this.#client = client;
    client.on("tcp connection", (_, accept) => {
      const stream = accept();
      const { host, port } = this.addresses.app;
      const app = createConnection(port, host);
      const end = () => {
        stream.destroy();
        app.destroy();
      };
      for (const one of [stream, app]) one.on("error", end).on("close", end);
      stream.pipe(app).pipe(stream);
    });
    return new Promise((resolve, reject) => {
      client.on("error", reject);
      client.once("ready", () =>
        client.forwardIn(SAMPLE_BIND, PORT, (error) => {
          if (error) return reject(error);
          client.once("close", () => this.#startAgain());
          resolve(true);
        }),
      );
      client.connect({ ...this.addresses.ssh, username: "agent", privateKey: this.key.privateKey });
    });
  }
}
