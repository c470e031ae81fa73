// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/** The fields of `example`. */
export interface GuaranteeExample {
  /** The request, as `POST /exposure/decisions` takes it. */
  request: Record<string, unknown>;

  /** The decision, as `POST /exposure/decisions` answers it. */
  decision: Record<string, unknown>;
}

/**
 * A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold.
 *
 * As the API returns it.
 */
export interface Guarantee {
  /** Identifier, `grnt_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** `refused`: none of the requests is let in. `answered`: each of them is, whether a backend is there to answer it or not. */
  expect: "refused" | "answered";

  /** The addresses that it covers, each `<host>:<port>` with a beginning of paths if you like. The host is a name, `*.<name>` for all names below it, at any depth, or `*`; the port is a number or `*`. As with routes, `/admin` covers `/admin/x` and `/adminx` too. */
  addresses: string[];

  /** The methods of requests that it covers, for example `GET`. Empty: all. */
  methods: string[];

  /** The networks whose callers it covers. Empty: every address. */
  networks: string[];

  /** Networks whose callers it does not cover. */
  except_networks: string[];

  /** Requests with a client certificate: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  client_certificate: "any" | "none" | "required";

  /** Requests with a JSON Web Token: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  token: "any" | "none" | "required";

  /** Requests of users who signed in: `any`, with or without; `none`, without; `required`, with a session that the address accepts. Where an address checks none, every value counts. Default `any`. */
  session: "any" | "none" | "required";

  /** `enforce` refuses changes that would break it; `report` only answers its state. Default `enforce`. */
  mode: "enforce" | "report";

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Whether it holds; `unproved` if no request was found that breaks it, but not every one could be decided. Answered for a single guarantee, and in lists with `?state=true`; null in other answers, as are the fields below. */
  state: "holds" | "broken" | "unproved" | null;

  /** How many of the declared addresses it covers. One that covers none refuses nothing yet. */
  covered: number | null;

  /** If it is broken: a request that breaks it, with the decision. */
  example: GuaranteeExample | null;

  /** Why it is unproved; or that it covers no declared address. */
  reason: string | null;

  /** When its state was judged. The server judges anew, in the background, after each change that touches it, and when something that lets requests in ends. An answer waits for that for up to 10 s; a state that is not judged by then is `unproved`. */
  judged_at: string | null;
}

/** The body that creates a guarantee. */
export interface GuaranteeCreate {
  /** `refused`: none of the requests is let in. `answered`: each of them is, whether a backend is there to answer it or not. */
  expect: "refused" | "answered";

  /** The addresses that it covers, each `<host>:<port>` with a beginning of paths if you like. The host is a name, `*.<name>` for all names below it, at any depth, or `*`; the port is a number or `*`. As with routes, `/admin` covers `/admin/x` and `/adminx` too. */
  addresses: string[];

  /** The methods of requests that it covers, for example `GET`. Empty: all. */
  methods?: string[];

  /** The networks whose callers it covers. Empty: every address. */
  networks?: string[];

  /** Networks whose callers it does not cover. */
  except_networks?: string[];

  /** Requests with a client certificate: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  client_certificate?: "any" | "none" | "required";

  /** Requests with a JSON Web Token: `any`, with or without; `none`, without; `required`, with one that the address accepts. Where an address checks none, every value counts. Default `any`. */
  token?: "any" | "none" | "required";

  /** Requests of users who signed in: `any`, with or without; `none`, without; `required`, with a session that the address accepts. Where an address checks none, every value counts. Default `any`. */
  session?: "any" | "none" | "required";

  /** `enforce` refuses changes that would break it; `report` only answers its state. Default `enforce`. */
  mode?: "enforce" | "report";

  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;
}

/** The body that updates a guarantee; fields left out stay as they are. */
export type GuaranteeUpdate = Partial<GuaranteeCreate>;
