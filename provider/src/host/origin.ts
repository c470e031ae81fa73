/** Facts for the provider that a program sends besides the properties. Never recorded in the state. */
export interface Origin {
  readonly urn: string;
  /** `<organization>/<project>/<stack>` */
  readonly stack: string;
  /** The URN of the resource's provider, if the program names one. */
  readonly provider?: string;
  readonly preview: boolean;
  /** In a preview, with a resource that has unique values: marks of all such resources of the program. */
  readonly declared?: string;
  /** In a preview of a resource with mistakes: those of the program's other resources, in words. */
  readonly mistakes?: readonly string[];
  /** The object's modules that other resources of the program declare, by their names in the contract. */
  readonly modules?: readonly string[];
  /** The edge's routes that keep callers out, and their modules: `path_prefix /admin`. */
  readonly guards?: readonly string[];
  /** Of an edge: the hostports of those that the program may declare later, by their types and names. */
  readonly later?: Readonly<Record<string, readonly string[]>>;
  /** Of a module: the URN of its object's resource. */
  readonly owner?: string;
  /** The object that the program imports. */
  readonly adopts?: Adopted;
}

/** An existing object that a resource imports. */
export interface Adopted {
  readonly id: string;
  /** The properties whose values the program keeps secret. */
  readonly hidden: readonly string[];
}
