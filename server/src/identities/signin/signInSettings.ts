/** Where and how people sign in. */
export interface SignInSettings {
  /** The identity provider's issuer URL. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a client without one, which proves itself only with PKCE. */
  readonly clientSecret: string | undefined;
  /** With spaces between. */
  readonly scopes: string;
  /** The claim with the user's groups. */
  readonly groupsClaim: string;
  /** The claim with the user's name. */
  readonly usernameClaim: string;
  /** Only users of one of these groups may sign in; none: all may. */
  readonly requireGroups: readonly string[];
}
