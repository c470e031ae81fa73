import { createDecipheriv } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const KEY = Buffer.alloc(32, "key of stacks in tests");

/** What a stack's settings say of the service, in the place of a salt for a passphrase. */
export const KEY_SETTINGS = `secretsprovider: hashivault://tests
encryptedkey: ${Buffer.from("vault:v1:the key of the stack").toString("base64")}
`;

export function decrypted(ciphertext: string): string {
  const [, nonce, text] = ciphertext.split(":").map((part) => Buffer.from(part, "base64")) as Buffer[];
  const cipher = createDecipheriv("aes-256-gcm", KEY, nonce as Buffer);
  const [sealed, tag] = [text?.subarray(0, -16), text?.subarray(-16)] as [Buffer, Buffer];
  cipher.setAuthTag(tag);
  return Buffer.concat([cipher.update(sealed), cipher.final()]).toString();
}

let url: Promise<string> | undefined;

/** The environment with a stand-in for Vault, which gives all the key: making one of a passphrase is slow. */
export async function keyEnvironment(): Promise<Record<string, string>> {
  url ??= start();
  return { VAULT_SERVER_URL: await url, VAULT_SERVER_TOKEN: "token of the tests" };
}

/** It ends with this process, and keeps no process alive. */
async function start(): Promise<string> {
  const service = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: { plaintext: KEY.toString("base64") } }));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  service.unref();
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}
