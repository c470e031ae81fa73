import { PROJECT_HEADER } from "@tunnelplane/sdk/contract";

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests read answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is being tested
  readonly body: any;
  readonly text: string;
}

/** A plain client of the REST API, like curl, without our SDK. */
export class Rest {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly always: Record<string, string> = {},
  ) {}

  /** The same client in a project. */
  inside(project: string): Rest {
    return new Rest(this.url, this.apiKey, { ...this.always, [PROJECT_HEADER]: project });
  }

  as(apiKey: string): Rest {
    return new Rest(this.url, apiKey);
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    const sent: Record<string, string> = { authorization: `Bearer ${this.apiKey}`, "service-version": "2" };
    if (body !== undefined) sent["content-type"] = "application/json";
    const response = await fetch(path.startsWith("http") ? path : this.url + path, {
      method,
      headers: { ...sent, ...this.always, ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json");
    return {
      ...{ status: response.status, headers: response.headers, text },
      body: json && text ? JSON.parse(text) : undefined,
    };
  }

  async created(path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer["body"]> {
    const { status, text, body: made } = await this.post(path, body, headers);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
    return made;
  }

  get = (path: string, headers?: Record<string, string>) => this.request("GET", path, undefined, headers);
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.request("POST", path, body, headers);
  patch = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.request("PATCH", path, body, headers);
  put = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.request("PUT", path, body, headers);
  delete = (path: string, headers?: Record<string, string>) =>
    this.request("DELETE", path, undefined, headers);
}
