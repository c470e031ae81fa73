import { refuseFaults } from "../../util";

/** No field is nested deeper than 8. A much deeper value could exhaust the stack of recursive code. */
const MAX_DEPTH = 32;

/** How much one body may hold. */
export interface BodyRoom {
  /** Entries of any list or map. */
  readonly entries: number;
  /** Values in the whole body. */
  readonly values: number;
}

/**
 * As many entries as the contract's longest list; checked before anything loops over them. Validating 20,000
 * wrong objects took half a second (measured on 2 cores, Node 24).
 */
const COMMON_ROOM: BodyRoom = { entries: 1000, values: 10_000 };

type Path = readonly (string | number)[];

/** Refuses a body that is too deep, too wide, or holds text that cannot be stored, and names the place. */
export function refuseOutsized(body: unknown, room: BodyRoom = COMMON_ROOM): void {
  let values = 0;
  const look = (value: unknown, path: Path): void => {
    if (typeof value === "string" && LONE.test(value)) refuse(path, HALF_A_PAIR);
    if (typeof value !== "object" || value === null) return;
    if (path.length === MAX_DEPTH)
      refuse(path.slice(0, 3), `is nested more than ${MAX_DEPTH} deep; no value of this API is`);
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    if (entries.length > room.entries)
      refuse(path, `has ${entries.length} entries; nothing here may have more than ${room.entries}`);
    values += entries.length;
    if (values > room.values)
      refuse(path.slice(0, 1), `has more than ${room.values} values in it; send fewer`);
    for (const [name, entry] of entries) {
      if (typeof name === "string") refuseName(name, entry, path);
      look(entry, [...path, name]);
    }
  };
  look(body, []);
}

/** Half of a surrogate pair, which UTF-8 cannot write. */
const LONE = /\p{Cs}/u;
const HALF_A_PAIR =
  "holds half of a surrogate pair, which is not a character; send the whole pair, or leave it out";

/** Refuses names such as __proto__, which have a meaning of their own in JavaScript. */
function refuseName(name: string, entry: unknown, path: Path): void {
  if (LONE.test(name)) refuse(path, `has a name that ${HALF_A_PAIR}`);
  const ofConstructor =
    name === "constructor" &&
    typeof entry === "object" &&
    entry !== null &&
    Object.hasOwn(entry, "prototype");
  if (name !== "__proto__" && !ofConstructor) return;
  const forbidden = ofConstructor ? [...path, name, "prototype"] : [...path, name];
  refuseFaults([
    {
      error: "unknown_field",
      path: forbidden,
      message: "is a forbidden name; it is accepted nowhere, so leave it out",
    },
  ]);
}

const refuse = (path: Path, message: string): void =>
  refuseFaults([{ error: "invalid_field", path, message }]);
