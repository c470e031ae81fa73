import { z } from "zod";
import { decisionRequestSchema, decisionSchema } from "../contract";
import { exposureSchema } from "../meaning/exposure/schema";
import { agentSeen, MAX_AGENTS_LISTED } from "./gateways";
import type { Shape } from "./shape";

/** What the server adds to a row. */
export const exposureFactsShape = {
  name: "ExposureFacts",
  io: "output",
  schema: z.object({
    words: z
      .array(
        z.object({
          field: z.string().meta({ description: "The field of this row that they are about." }),
          title: z.string().meta({ description: "Its name for people: `Client certificate`." }),
          text: z.string().nullable().meta({ description: "In one line; null where nothing is asked." }),
        }),
      )
      .meta({ description: "Each part that is checked, in words, in the order in which people read them." }),
    checks: z.array(z.string()).meta({
      description: "The checks that callers have to pass, each in a word or two: `client certificate`.",
    }),
    gateways: z
      .array(
        z.object({
          name: z.string(),
          last_seen: z.iso.datetime(),
          state: z.enum(["applied", "rejected"]),
          reason: z.string(),
          agents: z
            .array(agentSeen)
            .optional()
            .meta({
              description: `The agents of this gateway that serve the address and that the caller may see, at most ${MAX_AGENTS_LISTED}, the longest there first; only where the query names an \`address\`.`,
            }),
          other_agents: z.int().optional().meta({
            description:
              "How many further agents of this gateway serve the address: credentials of other owners, too.",
          }),
        }),
      )
      .optional()
      .meta({
        description:
          "The state of the edge at each gateway that reported it, among the 20 gateways that reported last.",
      }),
  }),
} satisfies Shape;

export const exposureShape = {
  name: "Exposure",
  io: "output",
  schema: exposureSchema().extend(exposureFactsShape.schema.shape),
} satisfies Shape;

const newId = () =>
  z
    .string()
    .nullable()
    .meta({ description: "Null if the change set that is planned would make the object." });

/** A request, and what happens to it before and after the change. */
const example = () =>
  z.object({ request: decisionRequestSchema(), before: decisionSchema(), after: decisionSchema() });

const finding = z.object({
  hash: z.string().meta({
    description: "Identifies the content of the finding: the same on another day and with other ids.",
  }),
  rule: z.string().meta({ description: "The rule, for example `network-opened`." }),
  severity: z.enum(["high", "medium", "low"]),
  address: z.string().optional().meta({ description: "The affected address." }),
  kind: z.string(),
  name: z.string(),
  id: newId().optional(),
  sentence: z.string().meta({ description: "The effect of the change, in one sentence." }),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  cause: z
    .object({
      urn: z.string().optional(),
      id: newId().optional(),
      kind: z.string(),
      name: z.string(),
      property: z.string().optional(),
    })
    .meta({ description: "The object, and its field, that the finding comes from." }),
  offStack: z
    .boolean()
    .meta({ description: "Whether the cause belongs to another program's stack; false here." }),
  certain: z.boolean().meta({ description: "Whether everything that it depends on was examined." }),
  example: example().optional().meta({ description: "Of a finding about access: a request that shows it." }),
  proved: z
    .boolean()
    .optional()
    .meta({ description: "Of a finding about access: whether all requests to the address were decided." }),
});

const accessChanges = (description: string, more: z.ZodRawShape = {}) =>
  z
    .array(
      z.object({
        address: z
          .string()
          .meta({ description: "The address that decides now; if none does, the one that decided before." }),
        was: z
          .string()
          .nullable()
          .meta({ description: "The address that decided before; null if none did." }),
        example: example(),
        ...more,
      }),
    )
    .meta({ description });

const access = z.object({
  sentence: z.string().meta({ description: "The verdict in one line." }),
  verdict: z.enum(["opens nothing", "opens", "unproved"]).meta({
    description: "`opens nothing` is proved; `unproved`: nothing was found to open, but not all was decided.",
  }),
  opened: accessChanges("Let in now, and not before; at most 50.", {
    everyone: z.boolean().meta({
      description: "Whether it opened, without a certificate, a token or a session, for all of IPv4 or IPv6.",
    }),
    new: z.boolean().meta({ description: "Whether nobody served this name or path before." }),
  }),
  closed: accessChanges("Let in before, and not now; at most 50."),
  moved: accessChanges("Let in by both, by another backend or with another status; at most 50."),
  unproved: z
    .array(z.object({ address: z.string(), reason: z.string() }))
    .meta({ description: "Addresses with requests that could not be decided, and why; at most 50." }),
  combinations: z.int().meta({ description: "How many combinations of requests were tried." }),
  addresses: z.int().meta({ description: "At how many addresses." }),
});

/** The additional fields in the answer to a dry run with findings. */
export const dryRunShape = {
  name: "DryRunWithFindings",
  io: "output",
  schema: z.looseObject({
    findings: z
      .array(finding)
      .meta({ description: "The effects of the change on callers, the most severe first; at most 500." }),
    access: access.meta({ description: "The requests that the change lets in, with a proof." }),
    finding_limits: z
      .array(z.string())
      .optional()
      .meta({ description: "Sentences about parts that were too large to examine." }),
  }),
} satisfies Shape;
