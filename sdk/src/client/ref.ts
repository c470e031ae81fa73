/** How answers refer to another object. */
export interface Ref {
  /** Identifier of the object. */
  id: string;
  /** Address of the object. */
  uri: string;
}
