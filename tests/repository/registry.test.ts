import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Kind, registry, targetsOf } from "../../sdk/src/contract";
import { type Definition, defineResource } from "../../sdk/src/contract/core/definition";
import { object, reference, references } from "../../sdk/src/contract/core/fields";
import { elementOf, mark, marksOf, shapeOf } from "../../sdk/src/contract/core/marks";
import { refuseMistakes } from "../../sdk/src/contract/core/refuseMistakes";

/** A kind that does not exist; the compiler would refuse it, and this tests the registry without it. */
const invented = (kind: string): Kind => kind as Kind;

const sound: Parameters<typeof defineResource>[0] = {
  ...{ type: "Gate", kind: invented("gate"), title: "gate", doc: "A type that does not exist." },
  ...{ path: "/gates", listKey: "gates", idPrefix: "gate", fields: { name: z.string() }, sample: {} },
  example: "",
};

function refusal(more: Partial<Definition>): string {
  try {
    refuseMistakes([...registry, defineResource({ ...sound, ...more })], ["backend"]);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const MISTAKES: readonly (readonly [title: string, more: Partial<Definition>, ...words: string[]])[] = [
  ["two types of one name", { type: "TlsEdge" }, 'the type "TlsEdge"', "another name"],
  ["two types of one kind", { kind: "ip_policy" }, 'the kind "ip_policy"', "another kind"],
  ["two types of one prefix", { idPrefix: "ipp" }, 'the idPrefix "ipp"', "another prefix"],
  ["two types at one path", { path: "/ip_policies" }, 'the path "/ip_policies"', "another path"],
  [
    "paths that one request could mean",
    {
      path: "/edges/tls/{gate_id}/policies",
      fields: { gate_id: mark(reference("tls_edge"), { immutable: true }) },
    },
    ...["/edges/tls/{id}/policies", "another path"],
  ],
  ["a path that is an object's of another type", { path: "/ip_policies/gates" }, "/ip_policies/{id}"],
  ["one list key of two types", { listKey: "ip_policies" }, 'the listKey "ip_policies"', "another"],
  ["a list key that only backends share", { listKey: "backends" }, "both one subject"],
  ["events of two types that are called alike", { subject: "tls_edge" }, 'the subject "tls_edge"'],
  ["a list key that every list has", { listKey: "uri" }, 'the listKey "uri"', "give it another"],
  [
    "a reference to a kind that there is not",
    { fields: { policy_id: reference(invented("ip_polcy")) } },
    ...['"ip_polcy" in policy_id', "ip_policy,"],
  ],
  [
    "such a reference within an object and a list",
    { fields: { deep: z.array(object({ ids: references(invented("gates"), "refs") })).default([]) } },
    ...['"gates" in deep.ids', "add that type to the registry"],
  ],
  [
    "a list of children of a kind that there is not",
    { computed: { bars: mark(z.array(z.string()), { embeds: { kind: invented("bar"), bytes: 1 } }) } },
    '"bar" in bars',
  ],
  ["a kind that is the name of several", { kind: invented("backend") }, '"backend"', "several kinds"],
  ["a prefix that ends too early", { idPrefix: "ga_te" }, '"ga_te"', "lower-case letters only"],
  ["a prefix that users have", { idPrefix: "usr" }, 'the idPrefix "usr"', "give it another"],
  ["a path that is none", { path: "gates/" }, 'the path "gates/"', "write it like"],
  ["a path that names no field", { path: "/edges/{bar_id}/gates" }, "{bar_id}", "add a field bar_id"],
  ["a field that every answer has", { fields: { created_at: z.string() } }, "the field created_at twice"],
  [
    "two fields that answers call alike",
    { fields: { a: z.string(), b: reference(invented("gate"), { answeredAs: "a" }) } },
    "the field a twice",
  ],
];

describe("The registry of resource types", () => {
  it("accepts a type that clashes with no other", () => {
    expect(refusal({})).to.equal("");
    expect(refusal({ listKey: "backends", subject: "backend" }), "one more kind of backend").to.equal("");
  });

  for (const [title, more, ...words] of MISTAKES)
    it(`refuses to load with ${title}, and says how to fix it`, () => {
      for (const word of [more.type ?? "Gate", ...words]) expect(refusal(more)).to.contain(word);
    });

  it("reports all mistakes at once", () => {
    expect(
      refusal({ kind: "ip_policy", idPrefix: "edgtls", path: "/api_keys" }).split("\n- ").length,
    ).to.be.at.least(4);
  });
});

describe("The table of references in docs/how-to/teams.md", () => {
  it("says of each field that names an object whether that may be in a shared project, and what it uses", () => {
    const page = readFileSync(join(__dirname, "../../docs/how-to/teams.md"), "utf8");
    const rows = new Map(
      [...page.matchAll(/^\| `([a-z_.]+)` \| ([a-z_ ]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
        ([, field = "", names = "", lent = ""]) => [`${field} → ${names}`, lent],
      ),
    );
    const wrong: string[] = [];
    const found = new Set<string>();
    const look = (schema: z.ZodType, path: readonly string[]): void => {
      const { reference } = marksOf(schema);
      if (reference) {
        const name = `${path.join(".")} → ${reference.to.join(" or ")}`;
        found.add(name);
        const lent = rows.get(name) ?? "";
        const isNamed = ["user", "bot_user", "project"].some((one) => reference.to.some((to) => to === one));
        const isShareable = targetsOf(reference.to).every(({ access }) => access === "everyone");
        const expected = isNamed
          ? /your project|you have a role/
          : reference.cascade
            ? /^no: 403$/
            : reference.usesPrivateKey
              ? /^with the role member there$/
              : isShareable
                ? /^yes$/
                : /^no$/;
        if (!expected.test(lent)) wrong.push(`${name}: "${lent}", expected ${expected}`);
        return;
      }
      for (const [name, field] of Object.entries(shapeOf(schema) ?? {})) look(field, [...path, name]);
      const element = elementOf(schema);
      if (element) look(element, path);
    };
    for (const { fields } of registry)
      for (const [name, field] of Object.entries(fields)) look(field, [name]);
    expect(wrong).to.deep.equal([]);
    expect([...rows.keys()].sort()).to.deep.equal([...found].sort());
  });
});
