import { Config } from "@pulumi/pulumi";
import { type Endpoint, ObservedCollection, type Tunnel, type TunnelSession } from "@tunnelplane/sdk";
import { OBSERVED, OBSERVED_SCHEMAS, type ObservedKind, rename } from "@tunnelplane/sdk/contract";
import { Operation } from "../operation";
import { inform, warn } from "./warn";

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
/** A value with the names of its fields as programs write them. */
type InProgram<T> = T extends readonly (infer Item)[]
  ? InProgram<Item>[]
  : T extends object
    ? { [Name in keyof T & string as Camel<Name>]: InProgram<T[Name]> }
    : T;

/** The most that one call gives. */
const MOST_ROWS = 10_000;

/**
 * The hostports that gateways serve, the newest first. As the next two, it asks the server, the key and the
 * project of resources that name no account.
 *
 * @throws if the server cannot be asked, or there are more than 10,000
 */
export const getEndpoints = (): Promise<InProgram<Endpoint>[]> => listed<Endpoint>("endpoint");

/** What agents have bound: a tunnel for each hostport or set of labels, the newest first. */
export const getTunnels = (): Promise<InProgram<Tunnel>[]> => listed<Tunnel>("tunnel");

/** The agents that are connected and have bound something, the newest first. */
export const getTunnelSessions = (): Promise<InProgram<TunnelSession>[]> =>
  listed<TunnelSession>("tunnel_session");

async function listed<T extends object>(kind: ObservedKind): Promise<InProgram<T>[]> {
  const operation = new Operation({
    packageName: "@tunnelplane/pulumi",
    isUnknown: () => false,
    warn,
    inform,
  });
  const config = new Config("tunnelplane");
  operation.configure((key) =>
    key.startsWith(`${config.name}:`) ? config.get(key.slice(config.name.length + 1)) : undefined,
  );
  const schema = OBSERVED_SCHEMAS[kind]();
  return operation.withServer(async (transport) => {
    const rows: InProgram<T>[] = [];
    for await (const row of new ObservedCollection<T>(transport, OBSERVED[kind]).list()) {
      if (rows.length === MOST_ROWS)
        throw new Error(`there are more than ${MOST_ROWS} ${OBSERVED[kind].title}s`);
      rows.push(rename(schema, { ...row }, "camelCase") as InProgram<T>);
    }
    return rows;
  });
}
