import { type Comparison, compare, type Finding } from "@tunnelplane/sdk/meaning";
import { everyField, type FieldOfType, worldWith } from "./everyField";

const now = new Date("2026-11-23T08:00:00Z");
const FIELDS = everyField();
const nameOf = ({ definition, field }: FieldOfType): string => `${definition.kind} ${field}`;
const known = new Map<string, Comparison>();

/** The comparison of one value with another. */
function change(of: FieldOfType, from: number, to: number): Comparison {
  const key = `${FIELDS.indexOf(of)} ${from} ${to}`;
  const found = known.get(key) ?? compare(worldWith(of, from), worldWith(of, to), { now });
  known.set(key, found);
  return found;
}

const plain = (path: string): string => path.replace(/\[\d*\]/g, "");
const isAt = (path: string, field: string): boolean =>
  plain(path) === plain(field) ||
  plain(path).startsWith(`${plain(field)}.`) ||
  plain(field).startsWith(`${plain(path)}`);

describe("A change of any field of any type", () => {
  it("is there to be tried: more than a hundred fields, secrets among them", () => {
    expect(FIELDS.length).to.be.greaterThan(100);
    expect(FIELDS.filter(({ secret }) => secret).map(({ field }) => field)).to.include.members([
      "oidc.client_secret",
      "target.monitoring_service.api_key",
      "target.stream_service.auth.creds.cloud_secret_access_key",
    ]);
  });

  it("shows up: a finding names it with its values, or it stands among what no finding names", () => {
    const missing = FIELDS.filter((of) => {
      const { findings, remaining } = change(of, 0, 1);
      const named = [...findings, ...remaining].flatMap(({ fields = [] }) => fields);
      return !named.some(
        ({ field, before, after, secret }) =>
          isAt(field, of.field) &&
          (of.secret ? secret === true && before === undefined && after === undefined : before !== after),
      );
    });
    expect(missing.map(nameOf)).to.deep.equal([]);
  });

  it("has no sentence that reads the same for the change back", () => {
    const keyOf = ({ rule, address, kind, name }: Finding) => `${rule} ${address} ${kind} ${name}`;
    const same = FIELDS.filter(({ secret }) => !secret).flatMap((of) => {
      const back = new Map(change(of, 1, 0).findings.map((finding) => [keyOf(finding), finding.sentence]));
      return change(of, 0, 1)
        .findings.filter((finding) => back.get(keyOf(finding)) === finding.sentence)
        .map(({ rule, sentence }) => `${nameOf(of)}: ${rule}: ${sentence}`);
    });
    expect(same).to.deep.equal([]);
  });

  it("shares no hash with any other change", () => {
    const met = new Map<string, string>();
    const shared: string[] = [];
    for (const of of FIELDS) {
      for (const to of of.values.keys()) {
        if (to === 0) continue;
        const { hash, findings } = change(of, 0, to);
        const values = of.secret ? [] : [of.exchanged[0], of.exchanged[to]];
        const own = `${nameOf(of)} ${JSON.stringify(values)}`;
        const hashes = new Set([hash, ...findings.map((finding) => finding.hash)]);
        for (const one of hashes) {
          const other = met.get(one);
          if (other !== undefined && other !== own) shared.push(`${other} and ${own}`);
          met.set(one, own);
        }
      }
    }
    expect(shared.join("\n")).to.equal("");
  });

  it("has a hash that repeats on another day", () => {
    const later = { now: new Date("2027-01-23T08:00:00Z") };
    for (const of of FIELDS)
      expect(compare(worldWith(of, 0), worldWith(of, 1), later).hash, nameOf(of)).to.equal(
        change(of, 0, 1).hash,
      );
  });

  it("is said to be unnoticed only for descriptions and metadata", () => {
    const unnoticed = FIELDS.filter((of) => change(of, 0, 1).unnoticed);
    expect([...new Set(unnoticed.map(({ field }) => field))].sort()).to.deep.equal([
      "description",
      "metadata",
    ]);
  });

  it("is not said to be unnoticed where a module of a newer server comes or goes", () => {
    const edge = (module: object) => ({
      objects: [
        { kind: "tls_edge", id: "edgtls_1", fields: { hostports: ["app.example.com:443"], ...module } },
      ],
    });
    const later = { of_a_later_version: { enabled: true } };
    expect(compare(edge({}), edge(later), { now }).unnoticed).to.equal(false);
    expect(compare(edge(later), edge({}), { now }).unnoticed).to.equal(false);
  });

  it("never repeats a secret", () => {
    for (const of of FIELDS.filter(({ secret }) => secret)) {
      const { findings } = change(of, 0, 1);
      expect(
        findings.map(({ rule, secret }) => [rule, secret]),
        nameOf(of),
      ).to.deep.equal([["key-replaced", true]]);
      expect(JSON.stringify(change(of, 0, 1))).not.to.match(/canary/);
    }
  });
});
