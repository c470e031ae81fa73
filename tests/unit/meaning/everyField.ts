import {
  asDeclared,
  bare,
  createSchema,
  type Definition,
  defaultOf,
  elementOf,
  fieldsOf,
  isObject,
  marksOf,
  registry,
} from "@tunnelplane/sdk/contract";
import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import { z } from "zod";

type Json = Readonly<Record<string, unknown>>;

/** A declared field of a type, with values that it may have. */
export interface FieldOfType {
  readonly definition: Definition;
  /** `oidc.issuer`; `[]` for the entries of a list. */
  readonly field: string;
  readonly secret: boolean;
  /** The values; the first is that of the sample. Some fields have two alone. */
  readonly exchanged: readonly unknown[];
  /** The object with each of them. */
  readonly values: readonly Json[];
}

/** Values that rules read, where another text would be no value. */
const OTHERS: Readonly<Record<string, readonly [unknown, unknown]>> = {
  ...{ cidr: ["10.64.0.0/10", "10.0.0.0/11"], valid_for: ["1825d", "3650d"] },
  ...{ renew_before: ["1d", "2d"], valid_after: ["2026-11-23T08:00:00Z", "2026-11-24T08:00:00Z"] },
  valid_until: ["2127-11-22T08:00:00Z", "2128-11-22T08:00:00Z"],
  expires_at: ["2127-11-22T08:00:00Z", "2128-11-22T08:00:00Z"],
  address: ["other.example.com:443", "another.example.com:443"],
  hostports: [["other.example.com:443"], ["another.example.com:443"]],
  ...{ match: ["/other", "/another"], acl: [["bind:other.example.com"], ["bind:another.example.com"]] },
};

const isMap = (schema: z.ZodType): boolean => bare(schema) instanceof z.ZodRecord;

function othersOf(name: string, schema: z.ZodType, value: unknown): readonly [unknown, unknown] {
  const known = OTHERS[name];
  if (known) return known;
  const inner = bare(schema);
  const { reference } = marksOf(schema);
  if (reference && isObject(value)) {
    const entries = Object.entries(value);
    return [
      Object.fromEntries(entries.map(([id, weight], index) => [id, Number(weight) + index + 1])),
      Object.fromEntries(entries.slice(1)),
    ];
  }
  if (Array.isArray(value)) {
    const [first] = value;
    const added = (end: string) =>
      isObject(first)
        ? Object.fromEntries(
            Object.entries(first).map(([key, item]) => [key, typeof item === "string" ? item + end : item]),
          )
        : `${first ?? "x"}${end}`;
    return [
      [...value, added("2")],
      [...value, added("3")],
    ];
  }
  if (isMap(schema))
    return [
      { ...Object(value), more: "1" },
      { ...Object(value), more: "2" },
    ];
  if (inner instanceof z.ZodEnum) {
    const [one, other] = inner.options.filter((option) => option !== value);
    return [one, other];
  }
  if (inner instanceof z.ZodLiteral) return [[...inner.values].find((option) => option !== value), undefined];
  if (inner instanceof z.ZodBoolean) return [!(value ?? false), undefined];
  if (inner instanceof z.ZodNumber) return [Number(value ?? 0) + 1, Number(value ?? 0) + 2];
  return [`${value ?? ""}2`, `${value ?? ""}3`];
}

/** Each place in a sample where one value can be exchanged, with the whole object for each value. */
function* placesIn(
  schema: z.ZodType,
  value: Json,
  path: string,
  whole: (value: Json) => Json,
): Generator<Omit<FieldOfType, "definition">> {
  for (const [name, field] of fieldsOf(schema) ?? []) {
    const [at, item] = [path === "" ? name : `${path}.${name}`, value[name] ?? defaultOf(field)];
    const inside = (other: unknown) => whole({ ...value, [name]: other });
    const element = elementOf(field);
    if (fieldsOf(field)) {
      if (isObject(item)) yield* placesIn(field, item, at, inside);
      continue;
    }
    if (element && fieldsOf(element) && Array.isArray(item) && isObject(item[0]))
      yield* placesIn(element, item[0], `${at}[]`, (other) => inside([other, ...item.slice(1)]));
    const [one, other] = othersOf(name, field, item);
    if (one === undefined) continue; // one value is all that it may have
    const secret = marksOf(field).secret === true;
    const exchanged = [item, one, ...(other === undefined ? [] : [other])];
    yield { field: at, secret, exchanged, values: exchanged.map(inside) };
  }
}

/** Variants of a sample whose fields exclude each other. */
const SAMPLES: Readonly<Record<string, readonly Json[]>> = {
  tunnel_credential: [{ owner_id: "bot_user/ci" }],
  ssh_credential: [{ owner_id: "bot_user/ci" }],
  api_key: [{ owner_id: "bot_user/ci", project_id: "project/shop" }],
  event_destination: [
    {
      target: {
        monitoring_service: {
          api_key: "canary-1",
          service: "tunnels",
          monitoring_tags: "a:b",
          monitoring_site: "",
        },
      },
    },
    ...["stream_service", "delivery_service"].map((service) => ({
      target: {
        [service]: {
          [service === "stream_service" ? "stream_ref" : "delivery_stream_ref"]: "arn:of:it",
          auth: { creds: { cloud_access_key_id: "AKIA1", cloud_secret_access_key: "canary-1" } },
        },
      },
    })),
  ],
  ssh_certificate_authority: [
    { private_key_type: "ecdsa", elliptic_curve: "256" },
    { private_key_type: "rsa", key_size: 2048 },
  ],
  bot_user: [{ name: "edge", role: "gateway", gateway_name: "edge-1" }],
};

/** The objects of a type that are changed, a field at a time. */
const samplesOf = ({ kind, sample }: Definition): Json[] => {
  const more = (SAMPLES[kind] ?? []).map((fields) => ({ ...sample, ...fields }));
  return more.length === 0 || kind === "event_destination" ? [sample, ...more] : more;
};

export const everyField = (): FieldOfType[] =>
  registry.flatMap((definition) =>
    samplesOf(definition).flatMap((sample) =>
      [...placesIn(createSchema(asDeclared(definition)), sample, "", (value) => value)].map((place) => ({
        definition,
        ...place,
      })),
    ),
  );

/** Every id that samples refer to. */
const referred = (): string[] => {
  const texts = JSON.stringify(registry.map(({ sample }) => sample)).match(/"[a-z_]+\/[a-z0-9]+"/g) ?? [];
  return [...new Set(texts)].map((id) => JSON.parse(id));
};

const objectOf = ({ kind }: Definition, fields: Json): WorldObject => ({
  kind,
  id: `${kind}/it`,
  urn: `urn:${kind}`,
  name: `the ${kind}`,
  stack: "prod",
  fields,
});

const samples = registry.map((definition) => objectOf(definition, definition.sample));
const others = referred()
  .flatMap((id) => [id, `${id}2`])
  .map((id): WorldObject => {
    const [kind = "", name = ""] = id.split("/");
    const sample = registry.find((definition) => definition.kind === kind)?.sample ?? {};
    return {
      kind,
      id,
      name,
      fields: { ...sample, ...("hostports" in sample && { hostports: [`${name}.others.example.com:443`] }) },
    };
  });

/** A world with an object of each type and what they refer to, in which the one has one of its values. */
export const worldWith = ({ definition, values }: FieldOfType, which: number): World => ({
  objects: [
    ...samples.map((object) =>
      object.kind === definition.kind ? objectOf(definition, values[which] ?? {}) : object,
    ),
    ...others,
  ],
});
