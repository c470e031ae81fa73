/** What a route asks of sessions, as Envoy names it when it asks the gateway for one. */
export interface SessionRules {
  /** The project of the edge, for which sign-ins at an issuer count. */
  readonly project: string;
  readonly issuer: string;
  readonly clientId: string;
  /** In seconds, from the sign-in on. */
  readonly longest: number;
  /** In seconds without a request; 0 for no limit. */
  readonly idle: number;
  /** Whether the session holds the user's ID token, because its claims are looked at. */
  readonly keepsIdToken: boolean;
}

/** How long a session lasts that nobody limits, in seconds. */
export const DAY = 86_400;
/** What sessions are bound to: those of one text are good under the rules of another one with the same. */
export const boundTo = ({ issuer, clientId, longest, idle }: SessionRules): string =>
  JSON.stringify([issuer, clientId, longest, idle]);

export const rulesText = (rules: SessionRules): string => {
  const { issuer, clientId, longest, idle, keepsIdToken, project } = rules;
  return Buffer.from(JSON.stringify([issuer, clientId, longest, idle, keepsIdToken, project])).toString(
    "base64url",
  );
};

/** Of a text that only this gateway writes, into Envoy's configuration. @throws if it is another */
export function readRules(text: string): SessionRules {
  const [issuer, clientId, longest, idle, keepsIdToken, project]: unknown[] = JSON.parse(
    Buffer.from(text, "base64url").toString(),
  );
  return {
    issuer: String(issuer),
    clientId: String(clientId),
    longest: Number(longest),
    idle: Number(idle),
    keepsIdToken: keepsIdToken === true,
    project: String(project),
  };
}
