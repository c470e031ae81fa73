import { RequestError, refusalForNow } from "../../util";

/**
 * The issuer of a token does not answer. It counts as a wrong token, because strangers could name any issuer.
 */
export class IssuerAway extends RequestError {
  constructor() {
    const { error, message, options } = refusalForNow(
      "unavailable",
      "The keys of the token's issuer cannot be read now; try again shortly",
    );
    super(error, message, options);
  }
}

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
