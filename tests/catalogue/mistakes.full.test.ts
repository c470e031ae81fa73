import * as tunnels from "@tunnelplane/pulumi";
import { Folder, NOBODY } from "../support/catalogue";
import { failureOf, World } from "../support/provider";
import { tableOf } from "../support/table";

interface BadFile {
  readonly what: string;
  readonly yaml: string;
  /** Every line of the report: where, and how the sentence begins. */
  readonly says: readonly string[];
}

const BAD_FILES = tableOf<readonly BadFile[]>(__dirname, "mistakes.yaml");

describe("A catalogue with mistakes, previewed without a server", () => {
  const world = new World();
  const folder = new Folder();
  const preview = async (program: () => void): Promise<string> => {
    const stack = await world.stack(NOBODY, async () => program());
    return failureOf(stack.preview());
  };

  const SECRET_TEXT =
    'sshCredentials:\n  me: { publicKey: "-----BEGIN PRIVATE KEY-----hush-hush" }\n  you: { publicKey: "hush-hush" "x" }\n';
  const thrown = new Map<string, string>();
  before("declare all catalogues in one program", async () => {
    const stack = await world.stack(NOBODY, async () => {
      for (const yaml of [...BAD_FILES.map((bad) => bad.yaml), SECRET_TEXT]) {
        folder.write(yaml);
        try {
          tunnels.catalogue(folder.catalogue);
        } catch (error) {
          thrown.set(yaml, (error as Error).message);
        }
      }
    });
    expect((await stack.preview()).steps, "nothing is declared").to.deep.equal([]);
  });

  for (const { what, yaml, says } of BAD_FILES) {
    it(`is refused for ${what}, each with its line and column`, () => {
      const lines = (thrown.get(yaml) ?? "").split("\n").filter((line) => line.startsWith("  "));
      const reported = lines.map((line) => line.split(`  ${folder.catalogue}:`)[1] ?? line);
      expect(reported.map((line, index) => line.slice(0, says[index]?.length))).to.deep.equal(says);
    });
  }

  it("is refused as a whole, before anything of it is declared, and the engine prints where and why", async () => {
    folder.write("ipPolicies:\n  fine:\n  wrong: { oops: 1 }\n");
    const message = await preview(() => void tunnels.catalogue(folder.catalogue));
    expect(message).to.contain(`${folder.catalogue} has 1 mistake; nothing was declared:`);
    expect(message).to.contain(`  ${folder.catalogue}:3:12 ipPolicies.wrong.oops is not a field here`);
    expect(message).not.to.contain("IpPolicy fine");
    expect(message).not.to.match(/\n\s+at /);
  });

  it("never shows a value that may be a secret", async () => {
    expect(thrown.get(SECRET_TEXT)).to.contain("is not YAML").and.not.to.contain("hush-hush");
    folder.write('sshCredentials:\n  me: { publicKey: "-----BEGIN PRIVATE KEY-----hush-hush" }\n');
    const checked = await preview(() => void tunnels.catalogue(folder.catalogue));
    expect(checked)
      .to.contain("2:20 sshCredentials.me.publicKey is a private key")
      .and.not.to.contain("hush-hush");
  });

  it("is named by its path if there is no such file", async () => {
    const message = await preview(() => void tunnels.catalogue("nowhere/tunnels.yaml"));
    expect(message).to.contain("The catalogue nowhere/tunnels.yaml cannot be read: ENOENT");
    expect(message).not.to.match(/\n\s+at /);
  });
});
