import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { registry } from "@tunnelplane/sdk/contract";
import { newFolder } from "../support/folder";
import { worldOfThisFile } from "../support/provider";
import { Project, ROOT } from "./cli";
import { compileGo, compileJava, goModule, jarsIn, languages, PATH, PYTHON, runtimeOf } from "./languages";

const SECRET = "canary-client-secret-of-a-language";
const CHECK_CSHARP = join(__dirname, "programs/dotnet/check.py");

describe("The packages that Pulumi's generators make for other languages", () => {
  const { server } = worldOfThisFile();
  const folder = newFolder();
  const packages = join(folder, "packages");

  before("make them", function () {
    if (spawnSync("go", ["version"]).error) {
      console.log("      skipped: the generators are built with Go, which is not here");
      return this.skip();
    }
    execFileSync(process.execPath, ["tools/scripts/sdks.cjs", packages, "--pack"], {
      cwd: ROOT,
      stdio: "pipe",
    });
  });

  const skipWithout = (context: Mocha.Context, missing: string | undefined) => {
    if (missing === undefined) return;
    console.log(`      skipped: there is no ${missing}`);
    context.skip();
  };
  const json = (file: string) => JSON.parse(readFileSync(join(packages, file), "utf8"));

  it("name the plugin that they need, and where an engine that lacks it finds it", () => {
    const { version, pluginDownloadURL: server } = JSON.parse(
      readFileSync(join(ROOT, "plugin/schema.json"), "utf8"),
    );
    const plugin = { resource: true, name: "tunnelplane", server, version };
    for (const file of [
      ...["python/pulumi_tunnelplane/pulumi-plugin.json", "go/pulumi-plugin.json"],
      ...["dotnet/pulumi-plugin.json", "java/src/main/resources/io/github/tunnelplane/plugin.json"],
    ])
      expect(json(file), file).to.deep.equal(plugin);
    expect(json("nodejs/package.json").pulumi).to.deep.equal(plugin);
  });

  it("are packed as the registries of Python and TypeScript take them", () => {
    const packed = readdirSync(join(packages, "packed"));
    const [wheel = "", tarball = ""] = [".whl", ".tgz"].map(
      (end) => packed.find((name) => name.endsWith(end)) ?? "",
    );
    const inWheel = execFileSync("python3", ["-m", "zipfile", "-l", join(packages, "packed", wheel)], {
      encoding: "utf8",
    });
    for (const file of [
      ...["pulumi_tunnelplane/tls_edge.py", "pulumi_tunnelplane/py.typed"],
      ...["pulumi_tunnelplane/pulumi-plugin.json", "METADATA"],
    ])
      expect(inWheel).to.contain(file);
    const inTarball = execFileSync("tar", ["-tzf", join(packages, "packed", tarball)], { encoding: "utf8" });
    for (const file of ["package.json", "README.md", "LICENSE", "index.js", "tlsEdge.d.ts"])
      expect(inTarball).to.contain(`package/${file}\n`);
  });

  it("are packed as Maven's registry takes them: compiled, with sources and metadata", function () {
    skipWithout(this, languages.find(({ name }) => name === "Java")?.missing());
    const [jar = "", sources = ""] = jarsIn(packages).map((file) =>
      execFileSync("jar", ["tf", file], { encoding: "utf8" }),
    );
    for (const file of ["TlsEdge.class", "version.txt", "plugin.json"])
      expect(jar).to.contain(`io/github/tunnelplane/${file}`);
    expect(sources).to.contain("io/github/tunnelplane/TlsEdge.java");
    const pom = readFileSync(join(packages, "java/pom.xml"), "utf8");
    for (const needed of ["name", "description", "url", "licenses", "developers", "scm"])
      expect(pom).to.contain(`<${needed}>`);
  });

  it("are C# without mistakes of syntax, in a project that `dotnet pack` takes", function () {
    skipWithout(this, languages.find(({ name }) => name === "Python")?.missing());
    const checked = execFileSync(PYTHON, [CHECK_CSHARP, join(packages, "dotnet")], { encoding: "utf8" });
    const { files, mistakes, properties } = JSON.parse(checked);
    expect(mistakes).to.deep.equal([]);
    expect(files).to.be.greaterThan(100);
    const { version, license, description } = JSON.parse(
      readFileSync(join(ROOT, "plugin/schema.json"), "utf8"),
    );
    expect(properties).to.include({
      Version: version,
      PackageLicenseExpression: license,
      Description: description,
    });
    expect(existsSync(join(packages, "dotnet", properties.PackageIcon))).to.equal(true);
  });

  for (const [index, language] of languages.entries()) {
    it(`run a program in ${language.name}: it previews, creates, looks up, updates and destroys, and shows no secret`, async function () {
      skipWithout(this, language.missing());
      const command = language.build(packages, join(folder, `program-${index}`));
      const { rest } = server;
      const project = new Project(server, "", { runtime: runtimeOf(command), path: PATH });
      const printed: string[] = [];
      const pulumi = async (...args: string[]) => {
        const { code, text } = await project.pulumi(...args);
        printed.push(text);
        expect(code, text).to.equal(0);
        return text;
      };
      await project.pulumi("config", "set", "--secret", "clientSecret", SECRET);
      expect(await pulumi("preview", "--config", "description=first")).to.contain("+ 6 to create"); // with the stack itself
      expect((await rest.get("/edges/tls")).body.tls_edges).to.deep.equal([]);
      await pulumi("up", "--yes", "--skip-preview");
      const [edge] = (await rest.get("/edges/tls")).body.tls_edges;
      expect(edge).to.deep.include({ description: "first", hostports: ["app.example.com:443"] });
      expect(edge.tls_termination.min_version).to.equal("1.3");
      expect((await rest.get("/edges/https")).body.https_edges[0].routes[0].oidc.client_secret).to.equal(
        SECRET,
      );
      const outputs = JSON.parse(await pulumi("stack", "output", "--json"));
      expect(outputs).to.deep.equal({ token: "[secret]", found: edge.id, version: "1.3" });
      expect(await pulumi("up", "--yes", "--skip-preview", "--diff", "--config", "description=second"))
        .to.contain('"first" => "second"')
        .and.to.contain("~ 1 updated");
      expect((await rest.get(`/edges/tls/${edge.id}`)).body).to.deep.equal({
        ...edge,
        description: "second",
      });
      expect(await pulumi("preview")).to.contain("6 unchanged");
      for (const text of [...printed, project.stateFile()])
        expect(text)
          .not.to.contain(SECRET)
          .and.not.to.match(/tpt_\w/);
      await pulumi("destroy", "--yes", "--skip-preview");
      expect((await rest.get("/edges/https")).body.https_edges).to.deep.equal([]);
    });
  }

  describe("hold an example of every resource type", () => {
    const { resources } = JSON.parse(readFileSync(join(ROOT, "plugin/schema.json"), "utf8")) as {
      resources: Record<string, Described>;
    };
    const examples = registry.map(({ type }) => ({
      type,
      text: resources[`tunnelplane:index:${type}`]?.description ?? "",
    }));
    const program = (text: string, language: string) =>
      new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(text)?.[1] ?? "no program";

    it("in each language, where an editor shows it", () => {
      for (const [file, words] of [
        ["python/pulumi_tunnelplane/tls_edge.py", "tunnelplane.TlsEdge("],
        ["go/tlsEdge.go", "tunnelplane.NewTlsEdge(ctx,"],
        ["nodejs/tlsEdge.ts", "new tunnels.TlsEdge("],
        ["dotnet/TlsEdge.cs", "new Tunnelplane.TlsEdge("],
        ["java/src/main/java/io/github/tunnelplane/TlsEdge.java", "new TlsEdge("],
      ] as const)
        expect(readFileSync(join(packages, file), "utf8"), file)
          .to.contain("Example Usage")
          .and.to.contain(words);
    });

    it("that compiles in Go", function () {
      skipWithout(this, languages.find(({ name }) => name === "Go")?.missing());
      const module = join(folder, "examples-go");
      goModule(packages, module);
      for (const { type, text } of examples) {
        mkdirSync(join(module, type));
        // A library is compiled like a program, but nothing is linked, which takes 2 s each.
        const library = program(text, "go").replace(/^package main$/m, "package example");
        writeFileSync(join(module, type, "example.go"), library);
      }
      compileGo(module, "./...");
    });

    it("that compiles in Java", function () {
      skipWithout(this, languages.find(({ name }) => name === "Java")?.missing());
      const sources = join(folder, "examples-java");
      mkdirSync(sources);
      const files = examples.map(({ type, text }) => {
        const file = join(sources, `App${type}.java`);
        writeFileSync(file, program(text, "java").replaceAll(/\bApp\b/g, `App${type}`));
        return file;
      });
      compileJava(packages, join(folder, "examples-classes"), ...files);
    });
  });
});

type Described = { readonly description: string };
