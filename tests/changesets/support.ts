import type { Json } from "../support/api/expect";
import type { Rest, RestAnswer } from "../support/rest";

export interface Declared {
  readonly kind: string;
  readonly key: string;
  readonly id?: string;
  readonly fields?: Json;
}

export const declared = (kind: string, key: string, fields: Json = {}, id?: string): Declared => ({
  kind,
  key,
  ...(id && { id }),
  fields,
});

/** What stands in the place of an id for another object of the set. */
export const ref = (name: string): { $key: string } => ({ $key: name });
type Options = { readonly mode?: "merge" | "own"; readonly max_deletes?: number; readonly expect?: string };

export class SetInTest {
  constructor(
    private readonly rest: Rest,
    readonly name: string,
  ) {}

  send(
    objects: readonly Declared[],
    options: Options = {},
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    return this.rest.post("/changesets", { set: this.name, objects, ...options }, headers);
  }

  plan(objects: readonly Declared[], options: Options = {}): Promise<RestAnswer> {
    return this.rest.post("/changesets?dry_run=true", { set: this.name, objects, ...options });
  }

  /** Applies it, and returns what was done: `create tls_edge/app`. */
  async apply(objects: readonly Declared[], options: Options = {}): Promise<string[]> {
    const answer = await this.send(objects, options);
    expect(answer.status, answer.text).to.equal(200);
    return operationsIn(answer);
  }

  async ids(): Promise<Record<string, string>> {
    const { status, body, text } = await this.rest.get(`/changesets/${this.name}`);
    expect(status, text).to.equal(200);
    return Object.fromEntries(
      body.objects.map(({ kind, key, id }: { kind: string; key: string; id: string }) => [
        `${kind}/${key}`,
        id,
      ]),
    );
  }
}

export const operationsIn = ({ body }: RestAnswer): string[] =>
  body.operations
    .map(({ op, kind, key }: { op: string; kind: string; key: string }) => `${op} ${kind}/${key}`)
    .sort();

export const faultsIn = ({ body }: RestAnswer): string[] =>
  body.faults.map(
    ({ key, field, error_code }: { key: string; field: string; error_code: string }) =>
      `${key} ${field} ${error_code}`,
  );
