import { BETWEEN_TEXTS } from "../envoy/reporting";

/** A range of bytes, without the one at its end. */
type Part = readonly [start: number, end: number];

/** The fields that lead to the bodies of records: resource_logs, scope_logs, log_records, body. */
const TO_BODIES = [1, 2, 2, 5];
/** The field that leads from a body to its text: string_value. */
const TO_TEXT = [1];

const [VARINT, WITH_LENGTH] = [0, 2];
/** The bytes of values of other wire types. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/**
 * The bodies of the records that Envoy reports, in an ExportLogsServiceRequest of OpenTelemetry. Equal
 * bodies have equal bytes.
 * @throws for bytes that are not a valid message
 */
export const bodiesIn = (bytes: Buffer): Part[] => below([0, bytes.length], TO_BODIES, bytes);

/** The texts in a body. Bytes that are not valid UTF-8 are replaced. */
export const textsIn = (body: Buffer): string[] =>
  below([0, body.length], TO_TEXT, body).flatMap(([start, end]) =>
    body.toString("utf8", start, end).split(BETWEEN_TEXTS),
  );

function below(part: Part, [field, ...inner]: readonly number[], bytes: Buffer): Part[] {
  if (field === undefined) return [part];
  return fieldsIn(part, field, bytes).flatMap((value) => below(value, inner, bytes));
}

/** The values of the field with this number, as far as their type has a length. */
function fieldsIn([start, end]: Part, wanted: number, bytes: Buffer): Part[] {
  const found: Part[] = [];
  for (let at = start; at < end; ) {
    const [tag, afterTag] = varint(bytes, at, end);
    const type = tag & 7;
    const [length, from] =
      type === WITH_LENGTH ? varint(bytes, afterTag, end) : [lengthOf(type, bytes, afterTag, end), afterTag];
    at = from + length;
    if (at > end) throw new Error("a field is longer than its message");
    if (type === WITH_LENGTH && tag >>> 3 === wanted) found.push([from, at]);
  }
  return found;
}

function lengthOf(type: number, bytes: Buffer, at: number, end: number): number {
  if (type === VARINT) return varint(bytes, at, end)[1] - at;
  const length = FIXED[type];
  if (length === undefined) throw new Error(`a field has the wire type ${type}`);
  return length;
}

/** Reads a number of one to ten bytes. */
function varint(bytes: Buffer, start: number, end: number): [value: number, next: number] {
  let value = 0;
  let factor = 1;
  for (let at = start; at < Math.min(end, start + 10); at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at + 1];
  }
  throw new Error("a number does not end");
}
