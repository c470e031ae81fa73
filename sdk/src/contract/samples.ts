import { createHash } from "node:crypto";
import type { z } from "zod";
import { referencesIn, toAnswered } from "./core/convert";
import { type Definition, expandPath, pathFieldsOf } from "./core/definition";
import { endedFieldOf, endFieldOf } from "./core/ends";
import { marksOf } from "./core/marks";
import { own, present } from "./core/narrow";
import { createSchema } from "./core/shape";
import { validateCreate } from "./core/validate";
import { type Change, eventTypeOf } from "./formats/event";
import { OBSERVED, SESSION_STOPPED } from "./observed";
import { definitionNamed, definitionOfId } from "./registry";
import { mapSecrets } from "./secrets";

type Json = Record<string, unknown>;

/** The address of the server in examples. */
export const SAMPLE_SERVER = "https://tunnels.example.com";
const SAMPLE_TIME = "2026-11-22T08:00:00.000Z";

/** An id as examples show it: the same for the same name, whenever it is made. */
export function sampleId(prefix: string, name: string): string {
  const digits = createHash("sha512").update(`${prefix}/${name}`).digest("base64").replace(/[+/=]/g, "");
  return `${prefix}_2${digits.slice(0, 26)}`;
}

/** The id of the object that a sample names by its kind: "ip_policy/office". */
export function sampleIdOf(reference: string): string {
  const { kind, name } = readSampleReference(reference);
  return sampleId(definitionNamed(kind).idPrefix, name);
}

/** The two parts of a name such as "ip_policy/office". */
export function readSampleReference(reference: string): { kind: string; name: string } {
  const [kind = "", name = ""] = reference.split("/");
  return { kind, name };
}

/** The names of the objects that a type's sample refers to, each once. */
export const sampleReferences = (definition: Definition): string[] => [
  ...new Set(referencesIn(createSchema(definition), definition.sample).map(({ id }) => id)),
];

/** The name in samples for an object of this type that nothing else names. */
const SAMPLE_NAME = "one";

/** The body of a creation, as a client sends it. The fields that the path sets are left out. */
export function sampleBody(definition: Definition, idOf: (reference: string) => string = sampleIdOf): Json {
  const body = sampleFields(definition, idOf);
  for (const name of pathFieldsOf(definition)) delete body[name];
  return body;
}

/** All fields of a sample, those too that the path sets, with ids in the place of names. */
export function sampleFields(definition: Definition, idOf: (reference: string) => string = sampleIdOf): Json {
  const ids = new Map(sampleReferences(definition).map((reference) => [reference, idOf(reference)]));
  return replaced(definition.sample, ids) as Json;
}

function replaced(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [ids.get(name) ?? name, replaced(item, ids)]),
  );
}

/** The path of a sample's collection. */
export const samplePath = (definition: Definition): string =>
  expandPath(definition.path, sampleFields(definition));

/**
 * The object that the server would answer.
 *
 * @param created whether it answers the creation, which shows one-time secrets
 * @param alone whether it is about this object alone, unlike lists and events
 */
export function sampleAnswer(
  definition: Definition,
  { created = false, alone = true, name = SAMPLE_NAME } = {},
): Json {
  const schema = createSchema(definition);
  const { value, problems } = validateCreate(definition, sampleFields(definition));
  if (problems.length > 0)
    throw new Error(`The sample of ${definition.kind} is refused: ${JSON.stringify(problems)}`);
  const id = sampleId(definition.idPrefix, name);
  const uri = `${SAMPLE_SERVER}${samplePath(definition)}/${id}`;
  const refer = (target: string) => ({
    id: target,
    uri: `${SAMPLE_SERVER}${definitionOfId(target)?.path}/${target}`,
  });
  const owner = "owner_id" in definition.fields ? { owner_id: value.owner_id ?? sampleId("usr", "ada") } : {};
  const answered = toAnswered(schema, { ...value, ...owner }, { uri, refer });
  const computed = Object.entries(definition.computed).map(([field, of]) => [
    field,
    computedSample(of, { created, alone }),
  ]);
  return {
    id,
    uri,
    created_at: SAMPLE_TIME,
    ...answered,
    ...Object.fromEntries(computed),
    ...definition.derive(value),
  };
}

function computedSample(field: z.ZodType, { created, alone }: { created: boolean; alone: boolean }): unknown {
  const { once, embeds, onDemand } = marksOf(field);
  if (embeds) return [sampleAnswer(definitionNamed(embeds.kind))];
  return (once && !created) || (onDemand && !alone)
    ? null
    : (field.meta()?.examples as unknown[] | undefined)?.[0];
}

/** An event about a session of an agent, as it is delivered. */
export function sampleSessionEvent(type: string): Json {
  const refTo = (path: string, prefix: string) => {
    const id = sampleId(prefix, SAMPLE_NAME);
    return { id, uri: `${SAMPLE_SERVER}${path}/${id}` };
  };
  return {
    event_id: sampleId("ev", type),
    event_type: type,
    event_timestamp: SAMPLE_TIME,
    account_id: sampleId("ac", "ours"),
    principal: BY_SERVER,
    object: {
      ...refTo(OBSERVED.tunnel_session.path, OBSERVED.tunnel_session.idPrefix),
      started_at: SAMPLE_TIME,
      credential: refTo("/tunnel_credentials", "cr"),
      ip: "203.0.113.7",
      agent_version: "SSH-2.0-OpenSSH_9.9",
      os: "",
      region: "",
      transport: "ssh/2",
      metadata: "",
      ...(type === SESSION_STOPPED && { reason: "left" }),
    },
  };
}

const BY_SERVER = { id: "server", subject: "server", source: "SERVER", credential: null };

/** An event as it is delivered: of the sample, or of a change of its description. */
export function sampleEvent(definition: Definition, change: Change): Json {
  const [end, ended] = [endFieldOf(definition), endedFieldOf(definition)];
  const object = {
    ...mapSecrets(definition, sampleAnswer(definition, { alone: false }), () => undefined),
    ...(change === "expired" && end && ended && { [end]: SAMPLE_TIME, [ended]: true }),
  };
  const credential = sampleId("ak", "ci");
  const field =
    "description" in definition.fields ? "description" : present(Object.keys(definition.sample)[0]);
  return {
    event_id: sampleId("ev", `${definition.kind} ${change}`),
    event_type: eventTypeOf(definition, change),
    event_timestamp: SAMPLE_TIME,
    account_id: sampleId("ac", "ours"),
    principal:
      change === "expired"
        ? BY_SERVER
        : {
            id: sampleId("usr", "ada"),
            subject: "ada",
            source: "API",
            credential: { id: credential, uri: `${SAMPLE_SERVER}/api_keys/${credential}` },
          },
    object,
    ...(change === "updated" && { changes: [{ path: field, old: "before", new: own(object, field) }] }),
  };
}
