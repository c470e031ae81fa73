import { join } from "node:path";
import { newFolder } from "./folder";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export type Published = { readonly folder: string; readonly manifest: Manifest };

const { pack, publishedPackages } = require("../../tools/scripts/packages.cjs") as {
  pack(destination: string): Map<string, string>;
  publishedPackages(): Published[];
};

export { publishedPackages };

/** The packages as npm would publish them, in a folder outside of the repository. `remove` deletes it. */
export class Packed {
  private constructor(
    readonly folder: string,
    readonly tarballs: ReadonlyMap<string, string>,
  ) {}

  static make(): Packed {
    const folder = newFolder();
    return new Packed(folder, pack(join(folder, "tarballs")));
  }

  tarball(name: string): string {
    const file = this.tarballs.get(name);
    if (!file) throw new Error(`${name} is not among the packages: ${[...this.tarballs.keys()].join(", ")}`);
    return file;
  }
}
