import type { CustomResourceOptions } from "@pulumi/pulumi";
import { Folder } from "../support/catalogue";
import { World } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";

export type Server = Awaited<ReturnType<World["server"]>>;
export const NOBODY = { url: "http://127.0.0.1:9", apiKey: "for-nobody" };
/** The resources that a program declares with each provider, without the prefix of the provider. */
export const RESOURCES = ["backend", "catalogue", "credential", "edge", "tls"];
const COLLECTIONS = ["/backends/tunnel_group", "/edges/https", "/credentials", "/ip_policies"];
export const ALL = COLLECTIONS.length * NAMES.length;

async function countOn({ rest }: Server): Promise<number> {
  const lists = await Promise.all(
    COLLECTIONS.map(async (path) => Object.values((await rest.get(path)).body).find(Array.isArray) ?? []),
  );
  return lists.flat().length;
}

export async function nameOf({ url, rest }: Server): Promise<string> {
  return `${url} (ac_…${(await serverIdOf({ rest })).slice(-8)})`;
}

export const serverIdOf = async ({ rest }: Pick<Server, "rest">): Promise<string> =>
  (await rest.get("/caller")).body.server_id;

export class TwoServers {
  readonly #folder = new Folder();

  private constructor(
    readonly world: World,
    readonly one: Server,
    readonly other: Server,
  ) {
    this.#folder.write("ipPolicies: { office: { description: of the catalogue } }\n");
  }

  static async start(): Promise<TwoServers> {
    const world = new World();
    return new TwoServers(world, await world.server(), await world.server());
  }

  /** Four objects: a module that is a resource, a one-time secret and a catalogue among them. */
  declare(provider: Name, form: "first" | "second" | "third", options: CustomResourceOptions = {}): void {
    const tunnels = PROVIDERS[provider];
    const [backend, catalogue, credential, edge, tls] = RESOURCES.map((name) => `${provider}-${name}`) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const description = form;
    new tunnels.TunnelGroupBackend(backend, { description, labels: { service: "web" } }, options);
    const hostports = [`${provider}.example.com:443`];
    const { id: edgeId } = new tunnels.HttpsEdge(edge, { description, hostports }, options);
    const minVersion = form === "second" ? "1.3" : "1.2";
    new tunnels.HttpsEdgeTlsTermination(tls, { edgeId, minVersion }, options);
    new tunnels.TunnelCredential(credential, { description }, options);
    new tunnels.CatalogueSet(catalogue, { file: this.#folder.catalogue }, options);
  }

  counts = async (): Promise<number[]> => [await countOn(this.one), await countOn(this.other)];
}
