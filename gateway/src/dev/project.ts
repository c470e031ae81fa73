import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isObject } from "@tunnelplane/sdk/contract";
import { keptOr } from "../state/files";

/** A program to reach through a tunnel. It answers every request alike, and reads no file. */
export const sampleApp = (): Server =>
  createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "text/plain; charset=utf-8").end("hello from behind the tunnel\n");
  });

/** The admin's key for a server of one's own. */
export interface DevKey {
  readonly key: string;
  /** The advice where the server does not know it. */
  readonly cure: string;
  forget(): void;
}

/** The program of the server that a project has installed. @throws Error that tells how to install it */
export function serverProgram(project: string): string {
  const from = createRequire(join(project, "package.json"));
  try {
    const manifest = from.resolve("@tunnelplane/server/package.json");
    const { bin }: { bin: unknown } = JSON.parse(readFileSync(manifest, "utf8"));
    const program = isObject(bin) ? bin["tunnelplane-server"] : undefined;
    if (typeof program === "string") return join(dirname(manifest), program);
  } catch {
    // Reported below.
  }
  throw new Error(
    `${project} has no server (@tunnelplane/server) installed: run npx tunnelplane dev, of the package tunnelplane, which has one`,
  );
}

/** The key in the environment, or one that is made at the first start and kept in a file. */
export function devKey(folder: string): DevKey {
  const given = process.env.TUNNELPLANE_API_KEY;
  if (given)
    return {
      key: given,
      cure: "unset TUNNELPLANE_API_KEY, or set it to a key of this server",
      forget: () => {},
    };
  const file = join(folder, "api-key");
  const isOld = existsSync(file);
  const key = keptOr(file, () => `tpk_${randomBytes(24).toString("base64url")}`);
  return {
    key,
    cure: "its data is from an earlier start with another key: set TUNNELPLANE_API_KEY to that, or make one with npx --no tunnelplane keys recover",
    forget: () => {
      if (!isOld) rmSync(file, { force: true });
    },
  };
}
