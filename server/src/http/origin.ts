import type { FastifyRequest } from "fastify";
import type { Origin } from "../auth";

/** Whether the request names a proxy. If that proxy is trusted, `request.ip` is the client's address. */
export const isForwarded = ({ headers }: FastifyRequest): boolean =>
  headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;

export const originOf = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  isForwarded: isForwarded(request),
});
