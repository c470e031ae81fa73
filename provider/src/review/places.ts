import { present } from "@tunnelplane/sdk/contract";
import type { OurStep } from "./worlds";

/** Where a program declares a resource. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
}

/** Our classes, and what is loaded for a program. */
const OURS = /^(.*\/)?(?:src|dist)\/generated\/[^/]+$/;

/** The first frame outside of this package, seen from the project's folder. */
export function placeOf({ newState, oldState }: Pick<OurStep, "newState" | "oldState">): Place {
  const frames = ((newState ?? oldState)?.stackTrace ?? []).flatMap(({ sourcePosition }) => frameOf(sourcePosition) ?? []);
  const ours = frames[0] && OURS.exec(frames[0].file)?.[1];
  const first = frames.find(
    ({ file }) => ours === undefined || !file.startsWith(ours) || file.slice(ours.length).startsWith("node_modules/"),
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
