import { existsSync } from "node:fs";
import { join } from "node:path";
import { isSea } from "node:sea";

/** Where this file is in a tarball: `bundle/js`; in a clone: `dist`. */
const IS_BUNDLED = !existsSync(join(__dirname, "../src"));
const inPackage = (path: string): string => join(__dirname, IS_BUNDLED ? "../.." : "..", path);

/** The arguments with which this Node runs this command again: none where the command is all that it runs. */
export const SELF: readonly string[] = isSea() ? [] : [inPackage("bin/tunnelplane.cjs")];

/** The folder of what makes projects. */
export const CREATE = inPackage(IS_BUNDLED ? "create" : "../create-tunnelplane");

/** The folder of the tarballs that a project needs, which a tarball brings along. */
export const PACKAGES: string | undefined = IS_BUNDLED ? inPackage("packages") : undefined;
