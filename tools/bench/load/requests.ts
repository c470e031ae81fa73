import type { LoadJob } from "./job";

/**
 * The sequence of requests, as they are sent to a server: each shot as often as its weight says, in a mixed
 * order that is always the same. Only what differs from request to request is composed for each.
 */
export function requestsOf({ shots, ids = [], from, headers }: LoadJob): (n: number, host: string) => string {
  const { host: ownHost, ...others } = headers;
  const deck = shots.flatMap(({ method, path, body, type = "application/json", weight = 1, ...shot }) => {
    const common = Object.entries({ ...others, ...shot.headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const [place, content] = [template(path), body === undefined ? undefined : template(body)];
    const request = (n: number, id: string, host: string) => {
      const head = `${method} ${place(n, id)} HTTP/1.1\r\nhost: ${ownHost ?? host}\r\n${common}`;
      const sent = content?.(n, id);
      return sent === undefined
        ? `${head}\r\n`
        : `${head}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`;
    };
    return Array.from({ length: weight }, () => request);
  });
  // A step that is coprime to the deck's length visits every card once.
  const step = [7, 11, 13, 17].find((prime) => deck.length % prime !== 0) as number;
  return (n, host) =>
    (deck[(n * step) % deck.length] as (typeof deck)[number])(from + n, ids[n % ids.length] ?? "", host);
}

/** A text with places for the number of the request and for an id. */
function template(text: string): (n: number, id: string) => string {
  const parts = text.split(/(\{n\}|\{id\})/);
  return (n, id) => {
    let filled = "";
    for (const part of parts) filled += part === "{n}" ? n : part === "{id}" ? id : part;
    return filled;
  };
}
