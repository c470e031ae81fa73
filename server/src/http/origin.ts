import { plainAddress } from "@tunnelplane/sdk/contract";
import type { FastifyRequest } from "fastify";
import type { Origin } from "../auth";

/**
 * The client's address in its one form. Some proxies write a port behind it, in brackets for IPv6; sockets
 * for both families write IPv4 within IPv6.
 */
export function callerAddress({ ip }: Pick<FastifyRequest, "ip">): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(ip) ?? [];
  return plainAddress(v6 ?? v4 ?? ip);
}

/** Whether the request names a proxy. If that proxy is trusted, `callerAddress` is the client's address. */
export const isForwarded = ({ headers }: FastifyRequest): boolean =>
  headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;

export const originOf = (request: FastifyRequest): Origin => ({
  ip: callerAddress(request),
  isForwarded: isForwarded(request),
});
