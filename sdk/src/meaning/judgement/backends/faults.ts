import { Unservable } from "../rules/unservable";

/** The server takes no deeper nests. */
export const MAX_NESTED = 1000;
/** As many as one failover backend may name; more come together only by nesting. */
export const MAX_IN_ORDER = 1000;

const because = (why: (id: string) => string) => (id: string) => new Unservable(`the backend ${why(id)}`);

/** Why traffic cannot be sent to a backend. */
export const BACKEND_FAULTS = {
  missing: because((id) => `${id} does not exist`),
  inItself: because((id) => `${id} contains itself`),
  tooDeep: because((id) => `${id} is in more than ${MAX_NESTED} others: nest fewer`),
  answersHttp: because(
    (id) => `${id} answers with HTTP, which a TLS edge does not speak: use it on a route of an HTTPS edge`,
  ),
  weightless: because(
    (id) => `${id}, a part of a weighted one, goes nowhere: give one of its backends a weight`,
  ),
  notLast: because(
    (id) =>
      `${id} cannot be followed by another in a failover backend: it cannot be checked whether all of it is down. Put it last`,
  ),
  mixed: because(
    (id) =>
      `${id}, in a failover backend, has backends whose protocol is http2 beside others: it shares out connections, which speak one protocol. Give all of them the same, or use it outside of a failover backend`,
  ),
  tooMany: (id: string) =>
    new Unservable(
      `the failover backend ${id} has more than ${MAX_IN_ORDER} backends, with those in others: use fewer`,
    ),
};
