import { type Report, review, write } from "@tunnelplane/pulumi/review";
import { asDeclared, createSchema, definitionNamed, rename } from "@tunnelplane/sdk/contract";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import { everyField, type FieldOfType, worldWith } from "../unit/meaning/everyField";
import { previewOf, step } from "./support";

/** Ids as a preview has them: the samples' have a "/", which separates the parts of a resource's id. */
const withIds = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replace(/"([a-z_]+)\/([a-z0-9]+)"/g, '"$1.$2"'));

function inputsOf({ kind, fields }: WorldObject): Record<string, unknown> {
  return withIds(rename(createSchema(asDeclared(definitionNamed(kind))), { ...fields }, "camelCase"));
}

function reviewOf(of: FieldOfType): Report {
  const [before, after] = [worldWith(of, 0).objects, worldWith(of, 1).objects];
  const steps = before.map((object, index) => {
    const { type } = definitionNamed(object.kind);
    const sides = { before: inputsOf(object), after: inputsOf(after[index] ?? object) };
    return step(type, object.name ?? "", sides, withIds(object.id));
  });
  return review(previewOf(steps));
}

describe("The review of a change of any field of any type", () => {
  const all = everyField().filter(({ secret }) => !secret);
  const reviews = all.map((of) => [`${of.definition.kind} ${of.field}`, reviewOf(of)] as const);

  it("has no table that is empty, or that reads the same before and after", () => {
    let seen = 0;
    for (const [what, report] of reviews) {
      const comment = write(report, "markdown");
      const rows = comment.split("\n").filter((line) => /^\| [A-Z]/.test(line));
      for (const row of rows) {
        const [, , before, after] = row.split(/(?<!\\) ?\| ?/);
        expect(before, `${what}: ${row}`).not.to.equal(after);
      }
      const changed = report.addresses.filter(({ before, after }) => before && after);
      const tables = comment.split("\n").filter((line) => line === "| | Before | After |").length;
      for (const { address } of changed) expect(comment, what).to.contain(`\`${address}\``);
      expect(tables, `${what}\n${comment}`).to.be.at.least(Math.min(1, changed.length));
      seen += tables;
    }
    expect(seen).to.be.greaterThan(30);
  });
});
