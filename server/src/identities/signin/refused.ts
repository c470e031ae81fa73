/** A sign-in that is refused. Its message is for the person; the audit log says more. */
export class SignInRefused extends Error {
  /** @param about why, in words for the audit log */
  constructor(
    message: string,
    readonly about: readonly string[],
    /** The user, once it is known. */
    readonly userId?: string,
  ) {
    super(message);
  }
}

/** The identity provider cannot be asked now. */
export class ProviderAway extends Error {}
