import { Config } from "@pulumi/pulumi";
import type * as Sdk from "@tunnelplane/sdk";
import type * as Contract from "@tunnelplane/sdk/contract";
import type * as Operations from "../operation";
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
const MAX_ROWS = 10_000;

/**
 * The hostports that gateways serve, the newest first. As the next two, it asks the server, the key and the
 * project of resources that name no account.
 *
 * @throws if the server cannot be asked, or there are more than 10,000
 */
export function getEndpoints(): Promise<InProgram<Sdk.Endpoint>[]> {
  return listed<Sdk.Endpoint>("endpoint");
}

/** What agents have bound: a tunnel for each hostport or set of labels, the newest first. */
export function getTunnels(): Promise<InProgram<Sdk.Tunnel>[]> {
  return listed<Sdk.Tunnel>("tunnel");
}

/** The agents that are connected and have bound something, the newest first. */
export function getTunnelSessions(): Promise<InProgram<Sdk.TunnelSession>[]> {
  return listed<Sdk.TunnelSession>("tunnel_session");
}

async function listed<T extends object>(kind: Contract.ObservedKind): Promise<InProgram<T>[]> {
  // Loaded here: client and contract would slow the start of programs that ask nothing.
  const { ObservedCollection }: typeof Sdk = require("@tunnelplane/sdk");
  const { OBSERVED, OBSERVED_SCHEMAS, rename }: typeof Contract = require("@tunnelplane/sdk/contract");
  const { Operation }: typeof Operations = require("../operation");
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
      if (rows.length === MAX_ROWS)
        throw new Error(`there are more than ${MAX_ROWS} ${OBSERVED[kind].title}s`);
      rows.push(rename(schema, { ...row }, "camelCase") as InProgram<T>);
    }
    return rows;
  });
}
