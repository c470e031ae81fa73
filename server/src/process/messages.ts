/** The subject of a message from one process of a server to the others. */
export type Topic = "committed" | "forget callers" | "counted" | "key used" | "metrics";

/** The order of the first process to another one. */
export type Order = "stop" | "cut off" | "reload TLS";

/** How a process answers where it listens, once it does. */
export interface Ready {
  readonly url: string;
  /** The database's name for people. */
  readonly label: string;
  /** Whether it made the admin's key and showed it. */
  readonly isFirst: boolean;
}

export type FromServing =
  | { readonly ready: Ready }
  | { readonly tell: Topic; readonly news: unknown }
  | { readonly ask: Topic; readonly id: number }
  | { readonly answer: unknown; readonly id: number };

export type ToServing =
  | { readonly order: Order }
  | { readonly told: Topic; readonly news: unknown }
  | { readonly asked: Topic; readonly id: number }
  | { readonly answers: readonly unknown[]; readonly id: number };
