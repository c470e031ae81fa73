import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where this file is in a tarball: `bundle/js`; in a clone: `dist`. */
const IS_BUNDLED = !existsSync(join(__dirname, "../src"));
const inPackage = (path: string): string => join(__dirname, IS_BUNDLED ? "../.." : "..", path);

/** The arguments with which Node runs this command again. */
export const SELF: readonly string[] = [inPackage("bin/tunnelplane.cjs")];

/** The folder of what makes projects. */
export const CREATE = inPackage(IS_BUNDLED ? "create" : "../create-tunnelplane");

/** The folder of the tarballs that a project needs, which a tarball brings along. */
export const PACKAGES: string | undefined = IS_BUNDLED ? inPackage("packages") : undefined;
