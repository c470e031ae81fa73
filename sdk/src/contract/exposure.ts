import { z } from "zod";
import { documented } from "./core/fields";
import { mark } from "./core/marks";
import { once } from "./core/once";

const text = (doc: string) => documented(z.string(), doc);

/** Where traffic goes; a weighted or a failover backend goes to others in its turn. */
export const goesTo = once(() => {
  const name = text("The backend's name for people.");
  const one = <F extends Record<string, z.ZodType>>(kind: string, doc: string, fields: F) =>
    z.looseObject({ kind: documented(z.literal(kind), doc), ...fields });
  // A reference, because documents name each shape once, and this one holds itself.
  const inner = z.unknown().meta({ $ref: `#/components/schemas/${GOES_TO}` });
  const part = z.object({ percent: documented(z.number(), "Its part of the traffic."), to: inner });
  const target = z.discriminatedUnion("kind", [
    one("tunnel_group", "Tunnels with these labels.", {
      name,
      labels: documented(z.record(z.string(), z.string()), "The labels."),
    }),
    one("static", "A fixed address.", {
      name,
      address: documented(z.string().nullable(), "`host:port`; null where it is not known yet."),
      tls: documented(z.boolean(), "Whether TLS is spoken there."),
    }),
    one("http_response", "A fixed response.", { name, status_code: documented(z.int(), "Its status.") }),
    one("weighted", "Several backends, each with its part.", {
      name,
      parts: documented(z.array(part), "The parts."),
    }),
    one("failover", "The first of several backends that is healthy.", {
      name,
      in_order: documented(z.array(inner), "The backends."),
    }),
    one("tunnels", "Tunnels that bind the address themselves.", {}),
    ...NOWHERE.map(([kind, doc]) => one(kind, doc, { name })),
  ]);
  return mark(target, { name: GOES_TO });
});

const GOES_TO = "ExposureGoesTo";

/** Why no backend is named. */
const NOWHERE = [
  ["missing", "There is no such backend."],
  ["cycle", "It leads back to itself."],
  ["disabled", "The module is disabled."],
  ["unknown", "Not known yet, or not visible to the caller."],
  ["more", "The tree goes on; at most 200 backends on 20 levels are shown."],
] as const;
