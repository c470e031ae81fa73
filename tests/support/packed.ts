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
  pack(destination: string, packages?: readonly Published[]): Map<string, string>;
  publishedPackages(): Published[];
};

export { publishedPackages };

/** The packages as npm would publish them, in a folder outside of the repository. `remove` deletes it. */
export class Packed {
  private constructor(
    readonly folder: string,
    readonly tarballs: ReadonlyMap<string, string>,
  ) {}

  /** @param names of the packages. Default: all. */
  static make(names?: readonly string[]): Packed {
    const folder = newFolder();
    const wanted = publishedPackages().filter(({ manifest }) => names?.includes(manifest.name) ?? true);
    return new Packed(folder, pack(join(folder, "tarballs"), wanted));
  }

  tarball(name: string): string {
    const file = this.tarballs.get(name);
    if (!file) throw new Error(`${name} is not among the packages: ${[...this.tarballs.keys()].join(", ")}`);
    return file;
  }
}
