import { createHash } from "node:crypto";

/** Facts that a program gives the provider beside the properties. Never recorded. */
export interface Origin {
  readonly urn: string;
  /** `<organization>/<project>/<stack>` */
  readonly stack: string;
  readonly preview: boolean;
  /** In a preview of an edge: the marks of the edges that the program declares; of at most {@link MOST_EDGES}. */
  readonly edges?: readonly string[];
  /** The object that the program imports. */
  readonly adopts?: Adopted;
}

/** An object that exists and that a resource shall stand for. */
export interface Adopted {
  readonly id: string;
  /** The properties whose values the program keeps secret. */
  readonly hidden: readonly string[];
}

/** Stands for an edge of a program in few bytes, because every edge carries the marks of all. */
export const edgeMark = (type: string, name: string): string =>
  createHash("sha256").update(`${type} ${name}`).digest("base64url").slice(0, 8);

/** Beyond so many, edges no longer carry the marks of all: together they would weigh more than what they help. */
export const MOST_EDGES = 1000;
