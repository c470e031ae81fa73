import { registry, sampleAnswer, searchedTexts, secretPathsOf, withArticle } from "@tunnelplane/sdk/contract";
import type { Json } from "../../support/api/expect";

const withAt = (object: unknown, [name, ...rest]: readonly string[], value: string): unknown =>
  name === undefined ? value : { ...(object as Json), [name]: withAt((object as Json)?.[name], rest, value) };

describe("The texts by which an object is found", () => {
  for (const definition of registry) {
    const sample = sampleAnswer(definition);

    it(`are texts of ${withArticle(definition.title)}, and never ids of others, times or addresses`, () => {
      for (const { field, text } of searchedTexts(definition, sample)) {
        expect(text, field).not.to.match(/^[a-z]+_[0-9A-Za-z]{27}$|^\d{4}-\d\d-\d\dT|^-----BEGIN/);
        expect(field).not.to.match(/(^|\.)uri$|_at$/);
      }
    });

    for (const path of secretPathsOf(definition))
      it(`are not ${path} of ${withArticle(definition.title)}`, () => {
        const secret = "the secret of somebody";
        const holding = withAt(sample, path.split("."), secret);
        expect(JSON.stringify(searchedTexts(definition, holding as Json))).not.to.contain(secret);
      });
  }

  it("leave a key of OpenSSH its type and its comment", () => {
    const [definition] = registry.filter(({ kind }) => kind === "ssh_credential");
    if (!definition) throw new Error("there is no such kind");
    const texts = searchedTexts(definition, {
      public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkN ada@laptop",
    });
    expect(texts).to.deep.equal([{ field: "public_key", text: "ssh-ed25519 ada@laptop" }]);
  });
});
