import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { keptOr, writeWhole } from "../state/files";

/** The API's address and key, and where the programs of `dev` listen. */
export interface Running {
  readonly url: string;
  readonly key: string;
  /** `host:port` */
  readonly https: string;
  readonly app: string;
  /** Its program; `--try` of a review takes it too. */
  readonly envoy: string;
  readonly ssh: { readonly host: string; readonly port: number };
  /** The file of the agents' key, where it is not a program of Pulumi that declares who they are. */
  readonly identity?: string;
}

/** A program that prints the password of the agent's ssh. */
const AUTHTOKEN = "#!/bin/sh\nexec pulumi stack output authtoken --show-secrets\n";

/** Ends the reading of the settings in a project, which needs the engine: what follows would fail too. */
const ENGINE = `command -v pulumi > /dev/null || {
  echo "there is no pulumi on the PATH; this installs it: curl -fsSL https://get.pulumi.com | sh" >&2
  return 1
}
`;

/**
 * Writes what other terminals need, and returns the path of `env`, which sets the server, its key, the ports,
 * a state of Pulumi in this folder with its passphrase, and the programs of this terminal. `ssh_config` and
 * `authtoken` are for an agent.
 */
export function writeSettings(
  folder: string,
  { url, key, https, app, envoy, ssh, identity }: Running,
): string {
  const settings = {
    TUNNELPLANE_BASE_URL: url,
    TUNNELPLANE_API_KEY: key,
    TUNNELPLANE_DEV_HTTPS: https,
    TUNNELPLANE_DEV_SSH_PORT: String(ssh.port),
    TUNNELPLANE_DEV_APP: app,
    TUNNELPLANE_ENVOY: envoy,
    ...stateIn(folder),
  };
  const file = join(folder, "env");
  const lines = Object.entries(settings).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const programs = programsHere().map((path) => `${quoted(path)}:`);
  const path = `export PATH=${programs.join("")}"$PATH"\n`;
  writeWhole(file, `${lines.join("")}${path}${identity === undefined ? ENGINE : ""}`);
  const knownHosts = join(folder, "known_hosts");
  rmSync(knownHosts, { force: true });
  writeWhole(
    join(folder, "ssh_config"),
    `Host agent
  HostName ${ssh.host}
  Port ${ssh.port}
  User agent
  UserKnownHostsFile "${knownHosts}"
  StrictHostKeyChecking accept-new
  ExitOnForwardFailure yes
  LogLevel ERROR
${identity === undefined ? "" : `  IdentityFile "${identity}"\n  IdentitiesOnly yes\n`}`,
  );
  const authtoken = join(folder, "authtoken");
  writeWhole(authtoken, AUTHTOKEN);
  chmodSync(authtoken, 0o700);
  return file;
}

/** A state of Pulumi in a folder, and a file with its passphrase, unless this terminal has its own. */
function stateIn(folder: string): Record<string, string> {
  const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, PULUMI_CONFIG_PASSPHRASE_FILE } = process.env;
  const stacks = join(folder, "stacks");
  const passphrase = join(folder, "passphrase");
  if (PULUMI_BACKEND_URL === undefined) mkdirSync(stacks, { recursive: true, mode: 0o700 });
  const isOwn = PULUMI_CONFIG_PASSPHRASE === undefined && PULUMI_CONFIG_PASSPHRASE_FILE === undefined;
  if (isOwn) keptOr(passphrase, () => randomBytes(24).toString("base64url"));
  return {
    ...(PULUMI_BACKEND_URL === undefined && { PULUMI_BACKEND_URL: `file://${stacks}` }),
    ...(isOwn && { PULUMI_CONFIG_PASSPHRASE_FILE: passphrase }),
  };
}

/** The folders of the Node that runs this, and of `pulumi`: another terminal may have older ones or none. */
function programsHere(): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const pulumi = folders.find(
    (folder) => !folder.includes("node_modules") && existsSync(join(folder, "pulumi")),
  );
  return [...new Set([dirname(process.execPath), ...(pulumi === undefined ? [] : [pulumi])])];
}

/** A text as one word of a shell. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
