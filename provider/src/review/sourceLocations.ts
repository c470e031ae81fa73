import { present } from "@tunnelplane/sdk/contract";
import type { OurStep } from "./worlds";

/** The location in the program that declares a resource. */
export interface SourceLocation {
  readonly file?: string;
  readonly line?: number;
}

/** Finds the location of a resource by its URN. */
export type FindLocation = (urn: string) => SourceLocation | undefined;

/** Files of our classes, and files that are loaded for a program. */
const OURS = /^(.*\/)?(?:src|dist)\/generated\/[^/]+$/;

/** Files of Pulumi's host for YAML programs. */
const YAML_HOST = /(^|\/)pulumi-yaml(@[^/]+)?\/.*\.go$/;

/**
 * The first stack frame outside of this package, relative to the project's folder.
 *
 * @param inYaml finds the location if the program is in YAML
 * @param inHcl finds it if nobody told the engine one, as the host of HCL
 */
export function locationOf(
  { newState, oldState, urn }: Pick<OurStep, "newState" | "oldState" | "urn">,
  inYaml: FindLocation,
  inHcl: FindLocation,
): SourceLocation {
  const declared = (newState ?? oldState)?.declaredBy ?? urn;
  const frames = ((newState ?? oldState)?.stackTrace ?? []).flatMap(
    ({ sourcePosition }) => frameOf(sourcePosition) ?? [],
  );
  if (frames.length === 0) return inHcl(declared) ?? {};
  if (frames[0] && YAML_HOST.test(frames[0].file)) return inYaml(declared) ?? {};
  const ours = frames[0] && OURS.exec(frames[0].file)?.[1];
  const first = frames.find(
    ({ file }) =>
      ours === undefined || !file.startsWith(ours) || file.slice(ours.length).startsWith("node_modules/"),
  );
  return first ?? {};
}

function frameOf(position: string | undefined): { file: string; line: number } | undefined {
  const found = /^project:\/\/\/(.+)#(\d+)(?:,\d+)?$/.exec(position ?? "");
  return found ? { file: decoded(present(found[1])), line: Number(found[2]) } : undefined;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
