import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { Json } from "../envoy/json";
import { DESCRIPTORS } from "./descriptors";

/** Envoy's own types, of the version that `tools/generate/envoy` names. */
const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, inflateSync(Buffer.from(DESCRIPTORS, "base64"))),
);

function messageNamed(type: string): DescMessage {
  const found = registry.getMessage(type);
  if (found === undefined) throw new Error(`Envoy has no message ${type} that gateways use`);
  return found;
}

/**
 * Brings a message into the form that Envoy reads.
 * @param type its name, such as `envoy.config.cluster.v3.Cluster`
 * @throws naming the field that Envoy does not have, or whose value does not fit it
 */
export function encode(type: string, fields: Json): Uint8Array {
  const desc = messageNamed(type);
  // Leaves out the fields that are undefined.
  const plain: JsonValue = JSON.parse(JSON.stringify(fields));
  return toBinary(desc, fromJson(desc, plain, { registry }));
}

/** Encodes a message from fields in the names of TypeScript. */
export const encodeFields = (type: string, fields: object): Uint8Array => {
  const desc = messageNamed(type);
  return toBinary(desc, create(desc, fields as never));
};

export const decode = <Fields>(type: string, bytes: Uint8Array): Message & Fields =>
  fromBinary(messageNamed(type), bytes) as Message & Fields;

/** The same for the same bytes, in every process. */
export const versionOf = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16);

const LENGTH_DELIMITED = 2;

/** The tag and the length that begin a field of a message. */
export const fieldStart = (number: number, length: number): Uint8Array =>
  Uint8Array.from([...varint((number << 3) | LENGTH_DELIMITED), ...varint(length)]);

/** A field of a message, by its number. Readers join parts of a message that follow each other. */
export const field = (number: number, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([fieldStart(number, bytes.length), bytes]);

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}
