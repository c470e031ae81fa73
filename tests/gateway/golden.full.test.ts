import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { objectsOf, translate } from "../../gateway/dist";
import { certificate } from "../support/api/fixtures";
import { ENVOY, validationError } from "../support/envoy";
import { AUTHORITY_PEM, CERTIFICATE, SURROUNDINGS, WORLDS } from "./worlds";

const FOLDER = join(__dirname, "golden");
/** TUNNELPLANE_GOLDEN=write writes the files anew, for a reader to compare. */
const WRITE = process.env.TUNNELPLANE_GOLDEN === "write";

describe("The configuration of Envoy", () => {
  for (const [name, world] of Object.entries(WORLDS)) {
    const file = join(FOLDER, `${name}.yaml`);
    const configuration = translate(objectsOf(world), SURROUNDINGS);

    it(`is the same as in golden/${name}.yaml`, () => {
      const text = stringify(JSON.parse(JSON.stringify(configuration)), {
        lineWidth: 160,
        aliasDuplicateObjects: false,
      });
      if (WRITE) writeFileSync(file, text);
      expect(text).to.equal(readFileSync(file, "utf8"));
    });

    it(`is accepted by a real Envoy: golden/${name}.yaml`, function () {
      if (!ENVOY) {
        console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
        this.skip();
      }
      const own = certificate({
        name: "app.example.com",
        extensions: ["subjectAltName = DNS:app.example.com"],
      });
      const real = {
        [CERTIFICATE.chain]: own.pem,
        [CERTIFICATE.key]: own.privateKey,
        [AUTHORITY_PEM]: certificate().pem,
      };
      const filled = (secrets: string) =>
        JSON.parse(JSON.stringify(configuration), (_, value) =>
          typeof value === "string" ? fill(value, { ...real, [SURROUNDINGS.secrets]: secrets }) : value,
        );
      expect(validationError(filled), "what Envoy says").to.equal(undefined);
    });
  }
});

const fill = (text: string, real: Readonly<Record<string, string>>): string =>
  Object.entries(real).reduce(
    (so, [placeholder, value]) => so.replaceAll(placeholder.trim(), value.trim()),
    text,
  );
