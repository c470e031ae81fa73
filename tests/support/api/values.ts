import { marksOf, modulesOf, secretPathsOf } from "@tunnelplane/sdk/contract";
import { expectRefused, immutable, invalid, type Json, type serverOfThisFile } from "./expect";
import { TYPES } from "./types";

type Server = ReturnType<typeof serverOfThisFile>;

/** A place in a body where answers name another, or none, or have another code than a wrong value's. */
interface Elsewhere {
  /** "": the value is put over the whole body of a creation. */
  readonly set: string;
  /** The place that the answer names. Default: any. */
  readonly at?: string;
  readonly code?: string;
}

/** Values that a place refuses, and words of the answer. */
type Refused = readonly [place: string | Elsewhere, values: readonly unknown[], ...words: string[]];
/** Values that a place keeps and answers as they are sent. */
type Taken = readonly [place: string, values: readonly unknown[]];

interface Values {
  readonly base?: Json | ((body: Json) => Json | Promise<Json>);
  readonly takes?: readonly Taken[] | ((body: Json) => readonly Taken[]);
  readonly refuses?: readonly Refused[] | ((body: Json) => readonly Refused[]);
  readonly what?: string;
}

/** What tables in YAML write for a value that is not there. */
const LEFT_OUT = "(left out)";

const stepsTo = (place: string): string[] =>
  [...place.matchAll(/\["(.*?)"\]|[^.[\]]+/g)].map(([step, quoted]) => quoted ?? step);

function changed(whole: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return { ...(whole as Json), ...(value as Json) };
  const inner = rest.length > 0 ? changed((whole as Json)?.[first], rest, value) : value;
  return Array.isArray(whole)
    ? Object.assign([...whole], { [first]: inner })
    : { ...(whole as Json), [first]: inner };
}

/** Tests which values the fields of a type take, and which they refuse: in creations, updates and modules. */
export function testValues(server: Server, name: string, { base = {}, takes, refuses, what }: Values): void {
  const type = TYPES.find((one) => one.name === name);
  if (!type) throw new Error(`tests/support/api/types.ts has no row for ${name}`);
  const { definition } = type;
  const isImmutable = (field: string) =>
    field in definition.fields && marksOf(definition.fields[field] as never).immutable;
  const secretsIn = (sent: Json): string[] =>
    secretPathsOf(definition)
      .map((path) =>
        path.split(".").reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step], sent),
      )
      .filter((secret) => typeof secret === "string")
      .filter((secret) => secret.length > 8);
  const title = what ? `${name} ${what}` : name;
  const newBody = async (): Promise<Json> => {
    const body = await type.body(server.rest);
    return { ...body, ...(typeof base === "function" ? await base(body) : base) };
  };

  if (takes)
    it(`${title} keeps each valid value as it is sent`, async () => {
      const body = await newBody();
      const { uri } = await server.created(type.path, body);
      for (const [place, values] of typeof takes === "function" ? takes(body) : takes)
        for (const value of values) {
          const [root = ""] = stepsTo(place);
          const { [root]: sent } = changed(body, stepsTo(place), value) as Json;
          const answer = isImmutable(root)
            ? await server.rest.post(type.path, { ...(await newBody()), [root]: sent })
            : await server.rest.patch(uri, { [root]: sent });
          expect(answer.status, `${place}: ${answer.text}`).to.be.oneOf([200, 201]);
          const read = (await server.read(answer.body.uri))[root];
          if (modulesOf(definition).includes(root)) expect(read, place).to.deep.include(sent);
          else expect(read, place).to.deep.equal(sent);
        }
    });

  if (refuses)
    it(`${title} refuses each wrong value, says where it is, and stays as it was`, async () => {
      const body = await newBody();
      const { uri } = await server.created(type.path, body);
      const before = await server.read(uri);
      for (const [place, values, ...words] of typeof refuses === "function" ? refuses(body) : refuses) {
        const { set, at, code } =
          typeof place === "string" ? { set: place, at: place } : { code: undefined, ...place };
        const [root = ""] = stepsTo(set);
        const isModule = modulesOf(definition).includes(root);
        for (const written of values) {
          const value = written === LEFT_OUT ? undefined : written;
          const sent = changed(body, stepsTo(set), value) as Json;
          const refusal = { ...invalid(at, ...words), ...(code && { code }) };
          const attempts = [[await server.rest.post(type.path, sent), refusal] as const];
          const isThere = sent[root] !== undefined && sent[root] !== ""; // an update ignores what is not there
          if (root !== "" && isThere) {
            const patched = await server.rest.patch(uri, { description: "x", [root]: sent[root] });
            attempts.push([patched, isImmutable(root) ? immutable(root) : refusal]);
          }
          if (isModule && isThere) {
            const field = at?.startsWith(`${root}.`) ? at.slice(root.length + 1) : undefined;
            attempts.push([await server.rest.put(`${uri}/${root}`, sent[root]), { ...refusal, field }]);
          }
          for (const [answer, expected] of attempts)
            try {
              expectRefused(answer, expected);
              for (const secret of secretsIn(sent)) expect(answer.text, "a secret").not.to.include(secret);
            } catch (error) {
              throw new Error(`${set}: ${JSON.stringify(value)}: ${(error as Error).message}`);
            }
        }
      }
      expect(await server.read(uri)).to.deep.equal(before);
    });
}
