import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Found, ok, warning, wrong } from "./check";

const NEEDED = (require("../../../package.json") as { engines: { node: string } }).engines.node.replace(
  ">=",
  "",
);
const ENGINE_TIMEOUT_MS = 10_000;

export function nodeCheck(): Found {
  const { node: version } = process.versions;
  const [have, need] = [version, NEEDED].map((text) => text.split(".").map(Number));
  const isEnough =
    have &&
    need &&
    ((have[0] ?? 0) > (need[0] ?? 0) || (have[0] === need[0] && (have[1] ?? 0) >= (need[1] ?? 0)));
  return isEnough
    ? ok("Node", `version ${version}`)
    : wrong("Node", `version ${version}`, `install ${NEEDED} or newer`);
}

/** Only people who declare objects in programs need Pulumi's engine, so its absence is not a fault. */
export function engineCheck(): Found {
  const folder = (process.env.PATH ?? "")
    .split(delimiter)
    .find((path) => path && existsSync(join(path, "pulumi")));
  if (folder === undefined)
    return warning(
      "engine",
      "pulumi is not on the PATH",
      "to run programs, install it: curl -fsSL https://get.pulumi.com | sh; in a clone, npm run setup prints where it is",
    );
  const { stdout, status } = spawnSync(join(folder, "pulumi"), ["version"], {
    encoding: "utf8",
    timeout: ENGINE_TIMEOUT_MS,
    env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" },
  });
  if (status !== 0) return wrong("engine", `${join(folder, "pulumi")} does not run`, "install it again");
  const version = stdout.trim();
  const missing = ["pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"].filter(
    (name) => !existsSync(join(folder, name)),
  );
  return missing.length === 0
    ? ok("engine", `pulumi ${version} in ${folder}`)
    : warning(
        "engine",
        `pulumi ${version} in ${folder} lacks ${missing.join(" and ")}`,
        "programs cannot run without them; install all of Pulumi",
      );
}
