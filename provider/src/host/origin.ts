/** What a program tells the provider of a resource beside its properties. Never recorded. */
export interface Origin {
  readonly urn: string;
  /** `<organization>/<project>/<stack>` */
  readonly stack: string;
  readonly preview: boolean;
  /** The object that the program imports. */
  readonly adopts?: Adopted;
}

/** An object that exists and that a resource shall stand for. */
export interface Adopted {
  readonly id: string;
  /** The properties whose values the program keeps secret. */
  readonly hidden: readonly string[];
}
