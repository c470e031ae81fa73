import { present } from "@tunnelplane/sdk/contract";

/** Reads `<host>:<port>`; an IPv6 address stands in brackets. */
export function parseListen(listen: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen);
  const port = Number(match?.[3]);
  if (!match || port > 65535)
    throw new Error(
      `Cannot listen on ${JSON.stringify(listen)}: expected "<host>:<port>", for example "127.0.0.1:4040"`,
    );
  return { host: present(match[1] ?? match[2]), port };
}
