/** A token that is not accepted. The audit log says what it lacks, and the answer does not. */
export class TokenRefused extends Error {
  /** @param lacking names of claims or parts of the token that are not as they have to be */
  constructor(
    readonly lacking: readonly string[],
    readonly identity?: string,
  ) {
    super(`The identity token is refused: ${lacking.join(", ")}`);
  }
}
