import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");
const FOLDER = join(ROOT, "deploy/systemd");

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
  for (const file of ["tunnelplane.service", "tunnelplane-gateway.service"]) {
    it(`${file} starts a program that exists, with flags that it has, and nothing as root`, () => {
      const settings = new Map(settingsOf(file).get("Service"));
      const command = (settings.get("ExecStart") ?? "").split(" ");
      const program =
        command.find((word) => word.startsWith("/opt/tunnelplane/"))?.replace("/opt/tunnelplane/", "") ?? "";
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

  it("a reload of the gateway's unit serves certificates that changed, whole pairs at a time; a path unit asks for it", () => {
    const service = settingsOf("tunnelplane-gateway.service").get("Service") ?? [];
    const settingOf = (name: string) => service.find(([one]) => one === name)?.[1] ?? "";
    expect(service.map(([name]) => name)).not.to.include("LoadCredential");
    expect(settingOf("ExecReload")).to.equal(settingOf("ExecStartPre"));
    const [, script = "", from = "", to = ""] = settingOf("ExecReload").split(" ");
    expect(settingOf("ExecStart")).to.contain(`--certs ${to}/certs `);
    expect(`/run/${settingOf("RuntimeDirectory")}`).to.equal(to);
    const watched = new Map(settingsOf("tunnelplane-gateway-certificates.path").get("Path"));
    expect(watched.get("PathChanged")).to.equal(from);
    const asked = new Map(settingsOf(watched.get("Unit") ?? "").get("Service"));
    expect(asked.get("ExecStart")).to.equal("/usr/bin/systemctl reload tunnelplane-gateway.service");
    const folder = newFolder();
    // Beside the certificates, the folder may have others, such as an archive of old keys.
    for (const name of ["from", "from/archive", "to"]) mkdirSync(join(folder, name));
    for (const name of ["README", "archive/old.key"]) writeFileSync(join(folder, "from", name), name);
    const command = [script.replace("/opt/tunnelplane", ROOT), join(folder, "from"), join(folder, "to")];
    const copy = (pem: string) => {
      for (const end of ["pem", "key"])
        writeFileSync(join(folder, "from", `site.${end}`), `${pem} ${end}`, { mode: 0o644 });
      execFileSync("sh", command);
      return ["pem", "key"].map((end) => readFileSync(join(folder, "to/certs", `site.${end}`), "utf8"));
    };
    expect(copy("first")).to.deep.equal(["first pem", "first key"]);
    expect(copy("second")).to.deep.equal(["second pem", "second key"]);
    expect(statSync(join(folder, "to/certs/site.key")).mode & 0o777).to.equal(0o600);
    expect(readdirSync(join(folder, "to/certs"))).to.have.members(["site.pem", "site.key"]);
    expect(readdirSync(join(folder, "to")), "no old copies").to.have.length(2);
    symlinkSync("nowhere", join(folder, "from/zone.pem"));
    writeFileSync(join(folder, "from/site.key"), "third key");
    const failed = spawnSync("sh", command, { encoding: "utf8" });
    expect(failed.status).to.equal(1);
    expect(failed.stderr).to.contain("zone.pem");
    expect(readFileSync(join(folder, "to/certs/site.key"), "utf8"), "serves the last copies").to.equal(
      "second key",
    );
    expect(readdirSync(join(folder, "to")), "no copy of keys from a copy that failed").to.have.length(2);
  });
});
