/** What a program tells the provider of a resource beside its properties. Never recorded. */
export interface Origin {
  readonly urn: string;
  /** `<organization>/<project>/<stack>` */
  readonly stack: string;
  readonly preview: boolean;
}
