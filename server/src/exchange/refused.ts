/** A token that is not accepted. What it lacks is for the audit log, not for whoever sent it. */
export class TokenRefused extends Error {
  /** @param lacking names of claims or parts of the token that are not as they have to be */
  constructor(
    readonly lacking: readonly string[],
    readonly identity?: string,
  ) {
    super(`The identity token is refused: ${lacking.join(", ")}`);
  }
}
