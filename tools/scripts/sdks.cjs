// Generates the packages of the native provider for other languages, by Pulumi's own generators: into a
// folder that is not committed. Needs Go and its module proxy.
//
//   node tools/scripts/sdks.cjs [FOLDER] [--schema FILE] [--pack]
//
// FOLDER    where to; release/sdks unless it is given
// --schema  the schema of a release, which says where the plugin is downloaded from; plugin/schema.json
// unless it is given
// --pack    also puts what registries take into FOLDER/packed, for each language whose tools are here
const { execFileSync, spawnSync } = require("node:child_process");
const {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} = require("node:fs");
const { join, resolve } = require("node:path");
const { parseArgs } = require("node:util");

const ROOT = join(__dirname, "../..");
const ENGINE = join(__dirname, "engine");

/**
 * For each language: what its package has besides what the generator makes, and the program that puts what
 * the registry takes into a folder. A package for Go is its source, in a repository of its own.
 */
const LANGUAGES = {
  python: {
    tool: "python3",
    pack: (folder, to) =>
      run("python3", ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", to, "."], folder),
  },
  go: { complete: goModule },
  nodejs: { tool: "npm", pack: packNode },
  dotnet: {
    tool: "dotnet",
    pack: (folder, to) => run("dotnet", ["pack", "--configuration", "Release", "--output", to], folder),
  },
  java: { complete: mavenProject, tool: "mvn", pack: packJava },
};

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      schema: { type: "string", default: join(ROOT, "plugin/schema.json") },
      pack: { type: "boolean", default: false },
    },
  });
  if (!isHere("go")) throw new Error("The generators are built with Go, which is not on the PATH");
  const out = resolve(positionals[0] ?? join(ROOT, "release", "sdks"));
  const file = resolve(values.schema);
  const schema = JSON.parse(readFileSync(file, "utf8"));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const env = { ...process.env, CGO_ENABLED: "0" };
  run(
    "go",
    // As the engine is built, with which the generators share most of what is compiled.
    [
      "run",
      "-mod=readonly",
      "-trimpath",
      "./sdks",
      file,
      join(ROOT, "plugin/logo.png"),
      out,
      ...Object.keys(LANGUAGES),
    ],
    ENGINE,
    env,
  );
  for (const [language, { complete, tool, pack }] of Object.entries(LANGUAGES)) {
    const folder = join(out, language);
    copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(
      join(folder, "README.md"),
      `# ${schema.displayName}\n\n${schema.description} See ${schema.homepage}\n`,
    );
    complete?.(folder, schema);
    if (!values.pack || !pack) continue;
    if (!isHere(tool)) {
      console.log(`${language}: not packed, because ${tool} is not here`);
      continue;
    }
    mkdirSync(join(out, "packed"), { recursive: true });
    pack(folder, join(out, "packed"));
  }
  console.log(`The packages are in ${out}`);
}

const isHere = (program) => !spawnSync(program, ["--version"]).error;
const run = (program, args, cwd, env = process.env) =>
  execFileSync(program, args, { cwd, env, stdio: ["ignore", 1, 2] });

function goModule(folder, { language }) {
  const [, sdk] =
    /github\.com\/pulumi\/pulumi\/sdk\/v3 (v\S+)/.exec(readFileSync(join(ENGINE, "go.mod"), "utf8")) ?? [];
  writeFileSync(
    join(folder, "go.mod"),
    `module ${language.go.importBasePath}\n\ngo 1.25.11\n\nrequire github.com/pulumi/pulumi/sdk/v3 ${sdk}\n`,
  );
}

/** Npm takes the compiled package, with package.json, README.md and the licence beside the code. */
function packNode(folder, to) {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const tsc = [
    join(ROOT, "node_modules/typescript/bin/tsc"),
    "-p",
    ".",
    "--types",
    "node",
    "--ignoreDeprecations",
    "6.0",
  ];
  run(process.execPath, tsc, folder);
  for (const file of ["package.json", "README.md", "LICENSE"])
    copyFileSync(join(folder, file), join(folder, "bin", file));
  run("npm", ["pack", "--silent", "--pack-destination", to], join(folder, "bin"));
}

function packJava(folder, to) {
  run("mvn", ["-q", "-B", "package"], folder);
  for (const name of readdirSync(join(folder, "target")))
    if (name.endsWith(".jar")) copyFileSync(join(folder, "target", name), join(to, name));
}

/** Pulumi's generator writes build files for Gradle only. Every build tool of Java takes what Maven makes. */
function mavenProject(folder, schema) {
  const { basePackage, dependencies } = schema.language.java;
  const group = `${basePackage}.${schema.name}`;
  const plugin = {
    resource: true,
    name: schema.name,
    version: schema.version,
    server: schema.pluginDownloadURL,
  };
  const resources = join(folder, "src/main/resources", ...group.split("."));
  writeFileSync(join(resources, "plugin.json"), `${JSON.stringify(plugin, null, 2)}\n`);
  const dependency = ([name, version]) =>
    `    <dependency><groupId>${name.split(":")[0]}</groupId><artifactId>${name.split(":")[1]}</artifactId><version>${version}</version></dependency>\n`;
  writeFileSync(
    join(folder, "pom.xml"),
    `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${group}</groupId>
  <artifactId>${schema.name}</artifactId>
  <version>${schema.version}</version>
  <name>${schema.displayName}</name>
  <description>${schema.description}</description>
  <url>${schema.homepage}</url>
  <licenses><license><name>${schema.license}</name></license></licenses>
  <developers><developer><name>${schema.publisher}</name></developer></developers>
  <scm><url>${schema.repository}</url></scm>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
${Object.entries(dependencies).map(dependency).join("")}  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-source-plugin</artifactId>
        <version>3.3.1</version>
        <executions><execution><goals><goal>jar-no-fork</goal></goals></execution></executions>
      </plugin>
    </plugins>
  </build>
</project>
`,
  );
}

try {
  main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
