import type * as oidc from "openid-client";

type Method = "client_secret_post" | "client_secret_basic";
/** Post first: many servers compare the encoded parts of the other one without decoding them. */
const METHODS: readonly Method[] = ["client_secret_post", "client_secret_basic"];

/** How this server says at a token endpoint who it is. */
export class Client {
  #method: Method | undefined;

  constructor(private readonly secret: string) {}

  /** Takes the other way, where the provider may know it. @returns whether there is one */
  change(server: oidc.ServerMetadata): boolean {
    const now = this.#methodFor(server);
    const other = METHODS.find((method) => method !== now && isOffered(method, server));
    if (other === undefined) return false;
    this.#method = other;
    return true;
  }

  readonly authenticate: oidc.ClientAuth = (server, { client_id: id }, body, headers) => {
    if (this.#methodFor(server) === "client_secret_post") {
      body.set("client_id", id);
      body.set("client_secret", this.secret);
      return;
    }
    const basic = `${encoded(id)}:${encoded(this.secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(basic).toString("base64")}`);
  };

  /** The default of OpenID Connect Discovery 1.0 section 3 is Basic. */
  #methodFor(server: oidc.ServerMetadata): Method {
    if (this.#method !== undefined) return this.#method;
    const { token_endpoint_auth_methods_supported: offered } = server;
    if (!offered) return "client_secret_basic";
    return METHODS.find((method) => offered.includes(method)) ?? "client_secret_post";
  }
}

const isOffered = (
  method: Method,
  { token_endpoint_auth_methods_supported: offered }: oidc.ServerMetadata,
): boolean => !offered || !METHODS.some((one) => offered.includes(one)) || offered.includes(method);

/** As in a form (RFC 6749 section 2.3.1), which leaves letters, digits and `-._*` as they are. */
const encoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);
