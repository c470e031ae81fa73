import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, distinct, MAX_ENTRIES, metadata } from "../core/fields";
import { mark } from "../core/marks";
import { cidr, cidrKey } from "../formats/cidr";
import { guaranteedAddress, guaranteedAddressKey } from "../formats/guaranteedAddress";
import { method } from "../formats/http";

const networks = () => distinct(z.array(cidr()).max(MAX_ENTRIES), cidrKey).default([]);

const onDemand = <S extends z.ZodType>(schema: S): S => mark(schema, { onDemand: true });

const credential = (what: string, accepted: string) =>
  z
    .enum(["any", "none", "required"])
    .default("any")
    .meta({
      description: `Requests ${what}: \`any\`, with or without; \`none\`, without; \`required\`, with ${accepted}. Where an address checks none, every value counts. Default \`any\`.`,
    });

/** Guarantees; decision.md "Guarantees". */
export const guarantee = defineResource({
  type: "Guarantee",
  kind: "guarantee",
  title: "guarantee",
  doc: "A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold.",
  path: "/guarantees",
  listKey: "guarantees",
  idPrefix: "grnt",
  access: "adminsWrite",
  fields: {
    expect: z.enum(["refused", "answered"]).meta({
      description:
        "`refused`: none of the requests is let in. `answered`: each of them is, whether a backend is there to answer it or not.",
    }),
    addresses: distinct(z.array(guaranteedAddress()).min(1).max(MAX_ENTRIES), guaranteedAddressKey).meta({
      description:
        "The addresses that it covers, each `<host>:<port>` with a beginning of paths if you like. The host is a name, `*.<name>` for all names below it, at any depth, or `*`; the port is a number or `*`. As with routes, `/admin` covers `/admin/x` and `/adminx` too.",
    }),
    methods: distinct(z.array(method()).max(MAX_ENTRIES)).default([]).meta({
      description: "The methods of requests that it covers, for example `GET`. Empty: all.",
    }),
    networks: networks().meta({
      description: "The networks whose callers it covers. Empty: every address.",
    }),
    except_networks: networks().meta({ description: "Networks whose callers it does not cover." }),
    client_certificate: credential("with a client certificate", "one that the address accepts"),
    token: credential("with a JSON Web Token", "one that the address accepts"),
    session: credential("of users who signed in", "a session that the address accepts"),
    mode: z.enum(["enforce", "report"]).default("enforce").meta({
      description:
        "`enforce` refuses changes that would break it; `report` only answers its state. Default `enforce`.",
    }),
    description: description(),
    metadata: metadata(),
  },
  computed: {
    state: onDemand(z.enum(["holds", "broken", "unproved"]).nullable()).meta({
      description:
        "Whether it holds; `unproved` if no request was found that breaks it, but not every one could be decided. Answered for a single guarantee, and in lists with `?state=true`; null in other answers, as are the fields below.",
      examples: ["holds"],
    }),
    covered: onDemand(z.int().nullable()).meta({
      description: "How many of the declared addresses it covers. One that covers none refuses nothing yet.",
      examples: [12],
    }),
    example: onDemand(
      z
        .object({
          request: z
            .record(z.string(), z.unknown())
            .meta({ description: "The request, as `POST /exposure/decisions` takes it." }),
          decision: z
            .record(z.string(), z.unknown())
            .meta({ description: "The decision, as `POST /exposure/decisions` answers it." }),
        })
        .nullable(),
    ).meta({
      description: "If it is broken: a request that breaks it, with the decision.",
      examples: [null],
    }),
    reason: onDemand(z.string().nullable()).meta({
      description: "Why it is unproved; or that it covers no declared address.",
      examples: [null],
    }),
    judged_at: mark(z.iso.datetime().nullable(), { onDemand: true, fleeting: true }).meta({
      description:
        "When its state was judged. The server judges anew, in the background, after each change that touches it, and when something that lets requests in ends. An answer waits for that for up to 10 s; a state that is not judged by then is `unproved`.",
      examples: ["2026-01-31T08:00:00Z"],
    }),
  },
  sample: {
    description: "nobody reaches an admin page without a client certificate",
    expect: "refused",
    addresses: ["*:443/admin"],
    client_certificate: "none",
  },
  example: `const admin = new tunnels.Guarantee("admin", {
  description: "nobody reaches an admin page without a client certificate",
  expect: "refused",
  addresses: ["*:443/admin"],
  clientCertificate: "none",
});`,
});
