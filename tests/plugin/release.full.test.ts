import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { newFolder } from "../support/folder";
import { worldOfThisFile } from "../support/provider";
import { StandInServer } from "../support/standIn";
import { needsYaml, Project } from "./cli";

const ROOT = join(__dirname, "../..");

const { checksums, faultsIn, makeKey, publish, sign } = require("../../tools/scripts/signatures.cjs") as {
  checksums(files: readonly string[], list: string): string;
  faultsIn(list: string): string[];
  makeKey(file: string): string;
  publish(key: string, folder: string): string;
  sign(file: string, key: string): string;
};

describe("Every file of a release", () => {
  const folder = newFolder();

  it("is signed as cosign verifies it, and a change of any file, sum or signature shows", () => {
    const files = ["a.tgz", "b.tar.gz"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, file);
    const key = makeKey(join(folder, "key.pem"));
    publish(key, folder);
    const list = checksums(files, join(folder, "checksums.txt"));
    const signature = sign(list, key);
    expect(faultsIn(list)).to.deep.equal([]);
    // The form of cosign: base64 of a DER sequence, and a public key in PEM.
    expect(Buffer.from(readFileSync(signature, "utf8"), "base64")[0]).to.equal(0x30);
    expect(readFileSync(join(folder, "cosign.pub"), "utf8")).to.match(/^-----BEGIN PUBLIC KEY-----/);
    writeFileSync(files[0] as string, "changed");
    expect(faultsIn(list)).to.deep.equal(["a.tgz was changed"]);
    checksums(files, list);
    expect(faultsIn(list).join()).to.contain("checksums.txt is not signed");
    sign(list, makeKey(join(folder, "other.pem")));
    expect(faultsIn(list).join()).to.contain("checksums.txt is not signed");
    rmSync(files[1] as string);
    expect(faultsIn(list).join()).to.contain("b.tar.gz is missing");
  });
});

describe("A release of the native provider", () => {
  const { server } = worldOfThisFile();
  const folder = newFolder();
  let project: Project | undefined;

  it("is installed from its folder by pulumi plugin install, and runs a program where there is no Node", async function () {
    needsYaml(this);
    const files = await StandInServer.start((request, response) =>
      response.end(readFileSync(join(folder, basename(request.url ?? "")))),
    );
    execFileSync(process.execPath, ["tools/scripts/releasePlugin.cjs", "--out", folder, "--url", files.url], {
      cwd: ROOT,
      stdio: "ignore",
    });
    const archive =
      readdirSync(folder).find((name) =>
        /^pulumi-resource-tunnelplane-v\d+\.\d+\.\d+-\w+-\w+\.tar\.gz$/.test(name),
      ) ?? "";
    const [, version = ""] = /-v([\d.]+)-/.exec(archive) ?? [];
    const sums = readFileSync(join(folder, `pulumi-resource-tunnelplane-v${version}-checksums.txt`), "utf8");
    const sum = createHash("sha256")
      .update(readFileSync(join(folder, archive)))
      .digest("hex");
    expect(sums).to.equal(`${sum}  ${archive}\n`);
    expect(JSON.parse(readFileSync(join(folder, "pulumiPlugin.json"), "utf8"))).to.deep.equal({
      resource: true,
      name: "tunnelplane",
      version,
      server: files.url,
    });
    project = new Project(
      server,
      'resources:\n  office: { type: "tunnelplane:IpPolicy", properties: { description: released } }\n',
      { path: [] },
    );
    const installed = await project.pulumi(
      "plugin",
      "install",
      "resource",
      "tunnelplane",
      version,
      "--server",
      files.url,
    );
    expect(installed.code, installed.text).to.equal(0);
    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.code, up.text).to.equal(0);
    expect((await server.rest.get("/ip_policies")).body.ip_policies[0].description).to.equal("released");
  });
});
