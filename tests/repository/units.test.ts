import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(__dirname, "../..");
const FOLDER = join(ROOT, "deploy/systemd");

/** The settings of a unit's file, by section; a name may come more than once. */
function settingsOf(file: string): Map<string, [string, string][]> {
  const sections = new Map<string, [string, string][]>();
  let current: [string, string][] | undefined;
  for (const line of readFileSync(join(FOLDER, file), "utf8").split("\n")) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    if (section) {
      current = [];
      sections.set(section, current);
    } else if (line !== "" && !line.startsWith("#")) {
      const [, name = "", value = ""] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
      expect(name, line).not.to.equal("");
      current?.push([name, value]);
    }
  }
  return sections;
}

describe("The units for systemd", () => {
  for (const file of readdirSync(FOLDER)) {
    it(`${file} starts a program that there is, with flags that it has, and nothing as root`, () => {
      const settings = new Map(settingsOf(file).get("Service"));
      const command = (settings.get("ExecStart") ?? "").split(" ");
      const program = command.find((word) => word.startsWith("/opt/tunnelplane/"))?.replace("/opt/tunnelplane/", "") ?? "";
      expect(existsSync(join(ROOT, program)), program).to.equal(true);
      const sources = ["gateway/src/commands/options.ts", "gateway/src/commands/run.ts"].map((path) =>
        readFileSync(join(ROOT, path), "utf8"),
      );
      for (const flag of command.filter((word) => /^--(?!disable-warning)/.test(word)))
        expect(sources.join(), flag).to.contain(`"${flag} `);
      expect(settings.get("DynamicUser")).to.equal("yes");
      expect(settings.get("NoNewPrivileges")).to.equal("yes");
      expect([...settingsOf(file).keys()]).to.deep.equal(["Unit", "Service", "Install"]);
    });
  }
});
