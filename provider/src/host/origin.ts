import { createHash } from "node:crypto";

/** Facts for the provider that a program sends besides the properties. Never recorded in the state. */
export interface Origin {
  readonly urn: string;
  /** `<organization>/<project>/<stack>` */
  readonly stack: string;
  /** The URN of the resource's provider, if the program names one. */
  readonly provider?: string;
  readonly preview: boolean;
  /**
   * In the preview of an edge: the marks of all edges that the program declares, at most {@link MOST_EDGES}.
   */
  readonly edges?: readonly string[];
  /** In a preview of a resource with mistakes: those of the program's other resources, in words. */
  readonly mistakes?: readonly string[];
  /** The object's modules that other resources of the program declare, by their names in the contract. */
  readonly modules?: readonly string[];
  /** The object that the program imports. */
  readonly adopts?: Adopted;
}

/** An existing object that a resource imports. */
export interface Adopted {
  readonly id: string;
  /** The properties whose values the program keeps secret. */
  readonly hidden: readonly string[];
}

/**
 * A short hash that identifies an edge of the program. Short, because every edge carries the marks of all.
 */
export const edgeMark = (type: string, name: string): string =>
  createHash("sha256").update(`${type} ${name}`).digest("base64url").slice(0, 8);

/**
 * The list of marks stops here and is then not used: every edge carries it, so it costs the square of the
 * count.
 */
export const MOST_EDGES = 1000;
