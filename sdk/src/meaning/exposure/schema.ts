import { z } from "zod";
import { once } from "../../contract/core/once";
import { goesTo } from "../../contract/exposure";
import { SHOWN } from "../aspects";
import { documented, text, texts } from "../aspects/shown";

/** A row of `GET /exposure`: who can reach the backend of one address. Made when it is first asked for. */
export const exposureSchema = once(() => {
  const named = z.object({
    kind: text("The kind of the object, such as `tls_edge`."),
    name: text(
      "Its name for people: the one that a program gave it, or its description, or another field that identifies it.",
    ),
    id: documented(z.string().optional(), "Its id; left out where it does not exist yet."),
  });
  return z.object({
    address: z.string().meta({
      description:
        "A hostport of a TLS edge, or one and a route: `app.example.com:443/admin` for a prefix, `app.example.com:443 = /admin` for an exact route.",
    }),
    edge: named.nullable().meta({ description: "The edge that serves it." }),
    route: named.nullable().meta({ description: "The route, of an HTTPS edge." }),
    ...Object.fromEntries(SHOWN.map(({ shows }) => [shows.field, shows.schema()])),
    goes_to: goesTo().meta({
      description:
        "The tree of backends: `parts` with `percent` and `to`, or the backends that are tried `in_order`.",
    }),
    served_by: z
      .object({
        credentials: documented(z.array(named), "The credentials that the caller may see, at most 100."),
        others: documented(z.int(), "How many others there are."),
      })
      .meta({
        description:
          "Which credentials may answer for the address, at most 100, and how many others: of those that the caller may not see too.",
      }),
    notes: texts("Further facts for readers, in sentences."),
    unknown: texts(
      "The fields of this row that are not wholly known, because there is more than one answer looks at.",
    ),
  });
});
