/** How an agent proves who it is. */
export type Proof = { readonly token: string } | { readonly public_key: string };

export interface Verdict {
  readonly allowed: boolean;
  /** The credential's id; null if none fits. */
  readonly credential: string | null;
  /** Ids of the projects whose hostports and labels it may serve. */
  readonly projects: readonly string[];
  /** When the credential ends, in milliseconds since 1970; absent for never. */
  readonly end?: number | undefined;
  /** Why it is not allowed; empty if it is. */
  readonly reason: string;
}

/** Decides what an agent may bind. */
export interface BindAuthority {
  /**
   * @param bind `bind:HOST:PORT`, or `bind:KEY=VALUE` for each label; empty asks who it is
   * @param address of an agent that logs in or binds: one whose session was stopped is kept out for a while
   */
  ask(proof: Proof, bind: readonly string[], address?: string): Promise<Verdict>;
}
