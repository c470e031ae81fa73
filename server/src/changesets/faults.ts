import { ERRORS, type ErrorBody, formatPath, type SetFault } from "@tunnelplane/sdk/contract";
import { BodyError, type Fault, RequestError } from "../util";

/** Most faults that an answer lists. */
const MAX_LISTED = 1_000;
/** Most faults that are kept at all; further ones are only counted. */
const MAX_IN_MESSAGE = 20;

/** The name of the request itself in faults. */
export const REQUEST = "";

interface ObjectFault extends Fault {
  /** `<kind>/<key>`, or {@link REQUEST} */
  readonly name: string;
}

/** The name of an object for people. Its id may be new, and known to nobody. */
interface Written {
  /** As the key of a map. */
  readonly key: string;
  /** As a value, in JSON. */
  readonly value: string;
}

/** All faults of a request, in its order. */
export class Faults {
  readonly #order = new Map<string, number>([[REQUEST, 0]]);
  readonly #faults: ObjectFault[] = [];
  readonly #faulty = new Set<string>();
  readonly #written = new Map<string, Map<string, Written>>();

  /** Adds an object to the order of faults; others come last. */
  expect(name: string): void {
    if (!this.#order.has(name)) this.#order.set(name, this.#order.size);
  }

  /** Notes how an object writes a reference that became an id, because faults name it in that form. */
  write(name: string, id: string, written: Written): void {
    const ids = this.#written.get(name) ?? new Map<string, Written>();
    this.#written.set(name, ids.set(id, written));
  }

  add(name: string, fault: Fault): void {
    this.#faulty.add(name);
    this.#faults.push({ ...fault, ...this.#asWritten(name, fault), name });
  }

  #asWritten(name: string, { path, message }: Fault): Pick<Fault, "path" | "message"> {
    const ids = this.#written.get(name);
    if (!ids) return { path, message };
    return {
      path: path.map((part) => ids.get(String(part))?.key ?? part),
      message: message.replace(IDS, (text, id) => ids.get(id)?.value ?? text),
    };
  }

  /** Notes a refusal of one object; throws any other error. */
  addRefusal(name: string, error: unknown): void {
    if (error instanceof BodyError) for (const fault of error.faults) this.add(name, fault);
    else if (error instanceof RequestError && error.status < 500)
      this.add(name, { error: error.error, path: [], message: error.message });
    else throw error;
  }

  has(name: string): boolean {
    return this.#faulty.has(name);
  }

  get count(): number {
    return this.#faults.length;
  }

  /** Refuses the change set if anything is wrong. */
  refuse(): void {
    if (this.#faults.length === 0) return;
    const rankOf = ({ name }: ObjectFault) => this.#order.get(name) ?? Number.POSITIVE_INFINITY;
    const sorted = this.#faults.toSorted((a, b) => {
      const [first, second] = [rankOf(a), rankOf(b)];
      return first === second ? 0 : first - second;
    });
    throw new ChangeSetError(sorted as [ObjectFault, ...ObjectFault[]]);
  }
}

/** Ids in messages, which may stand in quotes. */
const IDS = /"?\b([a-z]+_[0-9A-Za-z]+)\b"?/g;

/** One refusal for all faults of a change set, with the status of the first. */
class ChangeSetError extends RequestError {
  constructor(private readonly faults: readonly [ObjectFault, ...ObjectFault[]]) {
    const [first] = faults;
    const lines = faults
      .slice(0, MAX_IN_MESSAGE)
      .map(({ name, path, message }) => [name, formatPath(path), message].filter(Boolean).join(" "));
    if (faults.length > MAX_IN_MESSAGE)
      lines.push(`and ${faults.length - MAX_IN_MESSAGE} more, see \`faults\``);
    const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
    super(first.error, `The change set has ${count}; nothing was changed: ${lines.join("; ")}`, {
      field: formatPath(first.path),
    });
  }

  override body(operationId: string): ErrorBody {
    const listed = this.faults.slice(0, MAX_LISTED).map(
      ({ name, path, error, message }): SetFault => ({
        key: name,
        field: formatPath(path),
        error_code: ERRORS[error].code,
        msg: message,
      }),
    );
    return { ...super.body(operationId), faults: listed, fault_count: this.faults.length };
  }
}
