import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import { makeFolder } from "@tunnelplane/sdk/node";

/** The folder of a project that holds the tarballs of our packages. */
const FOLDER = "packages";
const SDK = "@tunnelplane/sdk";
const PROVIDER = "@tunnelplane/pulumi";

/** The part of a package.json that is about our packages. */
export interface PackageSources {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: object;
  readonly pnpm?: object;
}

/**
 * The source of our packages for a project: the registry; or tarballs in the project, if this package belongs
 * to a clone or came from a tarball itself.
 *
 * @param project the project's folder
 * @param given a folder with tarballs, if somebody named one
 */
export function packagesOf(project: string, given: string | undefined): PackageSources {
  const own = given === undefined ? dirname(require.resolve("../../package.json")) : "";
  if (given === undefined && isFromRegistry(own))
    return { dependencies: { [PROVIDER]: manifestIn(own).version } };
  const folder = join(project, FOLDER);
  const files = filled(folder, (at) => (given === undefined ? packed(at, own) : copied(at, resolve(given))));
  const source = (file: string) => `file:./${FOLDER}/${file}`;
  return {
    dependencies: { [PROVIDER]: source(files.provider), [SDK]: source(files.sdk) },
    overrides: { [SDK]: `$${SDK}` },
    pnpm: { overrides: { [SDK]: `$${SDK}` } },
  };
}

interface Tarballs {
  readonly provider: string;
  readonly sdk: string;
}

/** Makes a folder and fills it. If that fails, there is no folder, and adopt can be run again. */
function filled(folder: string, fill: (folder: string) => Tarballs): Tarballs {
  makeFolder(folder, "name another", 0o777);
  try {
    return fill(folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

/** Npm packs what is installed as well as a clone, and needs no network for it. */
function packed(destination: string, own: string): Tarballs {
  const folders = [own, dirname(require.resolve(`${SDK}/package.json`))];
  const args = [
    "pack",
    ...folders,
    "--ignore-scripts",
    "--silent",
    "--pack-destination",
    resolve(destination),
  ];
  try {
    execFileSync("npm", args, { stdio: ["ignore", "ignore", "pipe"], shell: process.platform === "win32" });
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw new Error(
      `npm could not pack ${PROVIDER} for the project (${reason}): name a folder of tarballs with --packages`,
    );
  }
  return tarballsIn(destination);
}

function copied(destination: string, folder: string): Tarballs {
  const found = tarballsIn(folder);
  for (const file of Object.values(found)) copyFileSync(join(folder, file), join(destination, file));
  return found;
}

function tarballsIn(folder: string): Tarballs {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const find = (name: string): string => {
    const file = files.find((one) => new RegExp(`^tunnelplane-${name}-\\d.*\\.tgz$`).test(one));
    if (!file)
      throw new Error(
        `${folder} holds no tarball of @tunnelplane/${name}; in a clone, npm run pack writes them to release/`,
      );
    return file;
  };
  return { provider: find("pulumi"), sdk: find("sdk") };
}

/** Whether the package was installed from a registry: in a project that names it by a version. */
function isFromRegistry(own: string): boolean {
  if (!own.includes(`${sep}node_modules${sep}`)) return false;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const { dependencies = {}, devDependencies = {} } = existsSync(join(folder, "package.json"))
      ? manifestIn(folder)
      : {};
    const range = dependencies[PROVIDER] ?? devDependencies[PROVIDER];
    if (range !== undefined) return !/^(file|link|workspace):|\.tgz$/.test(range);
    if (folder === dirname(folder)) return true;
  }
}

type Ranges = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly dependencies?: Ranges;
  readonly devDependencies?: Ranges;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
