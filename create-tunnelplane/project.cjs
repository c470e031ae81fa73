const {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} = require("node:fs");
const { basename, dirname, join, resolve } = require("node:path");

/** In a tarball it is inside; in the repository the build writes it. */
const { makeFolder } = require(
  [join(__dirname, "folders.js"), join(__dirname, "../sdk/dist/folders.js")].find(existsSync),
);

const TEMPLATE = join(__dirname, "template");
/** In a tarball the examples are inside; in the repository they stand beside this folder. */
const EXAMPLES = [join(__dirname, "examples"), join(__dirname, "..", "examples")].find(existsSync);
/** What Pulumi puts into a template, and we do too. */
const PLACEHOLDERS = /\$\{(PROJECT|DESCRIPTION)\}/g;
const REPOSITORY = "https://github.com/tunnelplane/tunnelplane";
/** Npm's and Pulumi's rules for names of projects, in one. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Where each service looks for a pipeline. */
const PIPELINES = { github: ".github/workflows/tunnels.yml", gitlab: ".gitlab-ci.yml" };

/** In the template's README; a project that has a pipeline needs no advice to add one. */
const HOW_TO_ADD = /`npx --no tunnelplane new \. --ci github`\s+\(or `gitlab`\) writes it\./;

/** The script of the template that reviews a change. */
const REVIEW = JSON.parse(readFileSync(join(TEMPLATE, "package.json"), "utf8")).scripts.review;

/** Names of the examples that are Pulumi projects. */
const examples = () =>
  readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, "Pulumi.yaml")));

/**
 * Writes a project into a folder that is new or empty; with `ci`, its pipeline too, or into the folder of a
 * project that alone. Returns the folder, the package manager that was used to call this, the pipeline's path
 * in the folder, and whether the project is new.
 */
function create(path, { example, ci, commonjs = false, tsNode = false, packages } = {}) {
  const folder = resolve(path);
  const pipeline = ci === undefined ? undefined : pipelineOf(ci);
  const manager = /^(\w+)\//.exec(process.env.npm_config_user_agent ?? "")?.[1] ?? "npm";
  if (pipeline !== undefined && existsSync(join(folder, "Pulumi.yaml"))) {
    if (example !== undefined || commonjs || tsNode || packages !== undefined)
      throw new Error(`${folder} holds a project already: for its pipeline, give --ci alone`);
    addPipeline(folder, ci, pipeline);
    return { folder: path, manager, pipeline, isNew: false };
  }
  const name = basename(folder).toLowerCase();
  if (!NAME.test(name))
    throw new Error(`"${name}" cannot be the name of a project: expected letters, digits, ".", "_" and "-"`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty; name a new folder`);
  if (example !== undefined && !examples().includes(example))
    throw new Error(`there is no example "${example}"; there are: ${examples().join(", ")}`);
  if (example !== undefined && (commonjs || tsNode))
    throw new Error("--commonjs and --ts-node are for the template; examples are written");
  const tarballs = packages === undefined ? new Map() : tarballsIn(resolve(packages));
  makeFolder(folder, "name another", 0o777);
  const inProject = (file) => join(folder, file);
  const isOurs = (source) =>
    !/[\\/](node_modules|\.tunnelplane|Pulumi\.\w+\.yaml)([\\/]|$)/.test(source.slice(EXAMPLES.length));
  cpSync(example === undefined ? TEMPLATE : join(EXAMPLES, example), folder, {
    recursive: true,
    filter: isOurs,
  });
  // Npm leaves .gitignore out of tarballs.
  if (existsSync(inProject("gitignore"))) renameSync(inProject("gitignore"), inProject(".gitignore"));
  if (example === undefined) fillTemplate(inProject, { name, commonjs, tsNode });
  else rename(inProject, name);
  if (tarballs.size > 0) useTarballs(inProject, tarballs);
  if (pipeline !== undefined) {
    addPipeline(folder, ci, pipeline);
    edit(inProject("README.md"), (text) =>
      text.replace(HOW_TO_ADD, `It is in \`${pipeline}\`, whose first lines say which settings it needs.`),
    );
  }
  return { folder: path, manager, pipeline, isNew: true };
}

/** What was made, and what comes next. */
const told = ({ folder, manager, pipeline, isNew }) =>
  [
    ...(isNew
      ? [
          `Wrote a project to ${folder}. Next:\n\n  cd ${folder} && ${manager} install\n\nIts README.md says the rest.`,
        ]
      : []),
    ...(pipeline === undefined
      ? []
      : [`Wrote the pipeline ${pipeline}; its first lines say which settings it needs.`]),
  ].join("\n");

function pipelineOf(ci) {
  if (Object.hasOwn(PIPELINES, ci)) return PIPELINES[ci];
  throw new Error(`there is no pipeline for "${ci}"; there are: ${Object.keys(PIPELINES).join(", ")}`);
}

function addPipeline(folder, ci, pipeline) {
  const file = join(folder, pipeline);
  if (existsSync(file)) throw new Error(`${file} is there already; remove it, or add to it by hand`);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(__dirname, "ci", `${ci}.yml`), file);
}

function fillTemplate(inProject, { name, commonjs, tsNode }) {
  for (const file of ["Pulumi.yaml", "package.json", "README.md"])
    edit(inProject(file), (text) =>
      text.replaceAll(PLACEHOLDERS, (_, what) => (what === "PROJECT" ? name : "Tunnels, declared in code")),
    );
  // This part is for `pulumi new` alone.
  edit(inProject("Pulumi.yaml"), (text) => text.replace(/^template:\n( {2}.*\n)*/m, ""));
  if (commonjs) {
    editJson(inProject("package.json"), (manifest) => ({ ...manifest, type: "commonjs" }));
    // Node takes the types out of a file, and leaves its imports. ts-node compiles these.
    if (!tsNode) edit(inProject("index.ts"), withRequire);
  }
  if (!tsNode) return;
  edit(inProject("Pulumi.yaml"), (text) =>
    text.replace(/ *# Node runs .*\n( *)typescript: false/, "$1typescript: true"),
  );
  editJson(inProject("package.json"), (manifest) => ({
    ...manifest,
    devDependencies: { ...manifest.devDependencies, "ts-node": "^10.9.2" },
  }));
}

/** The same program in the syntax of CommonJS. */
const withRequire = (text) =>
  text
    .replaceAll(/^import \* as (\w+) from ("[^"]+");/gm, "const $1 = require($2) as typeof import($2);")
    .replaceAll(/^export const (\w+) =/gm, "exports.$1 =");

/** Gives an example the name of its folder, as a project of its own. */
function rename(inProject, name) {
  edit(inProject("README.md"), ofProject);
  edit(inProject("Pulumi.yaml"), (text) => text.replace(/^name: .*/m, `name: ${name}`));
  editJson(inProject("package.json"), ({ scripts, ...manifest }) => ({
    ...manifest,
    name,
    scripts: { dev: "tunnelplane dev", review: REVIEW, ...scripts },
  }));
}

/** An example's README as that of a project, which is made already, and stands outside of the repository. */
const ofProject = (text) =>
  text
    .replace(
      /Make a project of it, and start a server, a gateway and a sample app on this machine:\n\n```sh\nnpx --no tunnelplane new .*\ncd my-tunnels\n([^`]*```\n)\nIn a clone, .*\n\n/,
      "Install, and start a server, a gateway and a sample app on this machine:\n\n```sh\n$1\n",
    )
    .replaceAll("](../../", `](${REPOSITORY}/blob/main/`)
    .replaceAll("](../", `](${REPOSITORY}/blob/main/examples/`);

/** The packages of tarballs in a folder, by the names that npm gives their files. */
function tarballsIn(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const ours = files.flatMap((file) => {
    const [, name] = /^tunnelplane(-[a-z-]+)?-\d.*\.tgz$/.exec(file) ?? [file];
    if (name === file) return [];
    return [[name ? `@tunnelplane/${name.slice(1)}` : "tunnelplane", join(folder, file)]];
  });
  if (ours.length === 0)
    throw new Error(
      `${folder} holds no tarballs of tunnelplane; in a clone, npm run pack writes them to release/`,
    );
  return new Map(ours);
}

/**
 * Copies the tarballs into the project, so that it can be moved and committed, and has it and its packages
 * use them.
 */
function useTarballs(inProject, tarballs) {
  mkdirSync(inProject("packages"));
  const places = Object.fromEntries(
    [...tarballs].map(([name, file]) => {
      copyFileSync(file, inProject(join("packages", basename(file))));
      return [name, `file:./packages/${basename(file)}`];
    }),
  );
  const replaced = (wanted = {}) =>
    Object.fromEntries(Object.entries(wanted).map(([name, range]) => [name, places[name] ?? range]));
  editJson(inProject("package.json"), ({ dependencies, devDependencies, ...rest }) => ({
    ...rest,
    dependencies: { ...replaced(dependencies), "@tunnelplane/sdk": places["@tunnelplane/sdk"] },
    devDependencies: replaced(devDependencies),
    overrides: { "@tunnelplane/sdk": "$@tunnelplane/sdk" },
    pnpm: { overrides: { "@tunnelplane/sdk": "$@tunnelplane/sdk" } },
  }));
}

const edit = (file, change) => writeFileSync(file, change(readFileSync(file, "utf8")));
const editJson = (file, change) =>
  edit(file, (text) => `${JSON.stringify(change(JSON.parse(text)), null, 2)}\n`);

module.exports = { create, examples, told };
