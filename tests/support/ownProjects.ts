import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { LEAN_ENGINE } from "./engine";
import { type Shell, typed } from "./literally";
import { Packed } from "./packed";
import { freePort } from "./ports";
import { SOAK } from "./size";

const ROOT = join(__dirname, "../..");
const MODULES = join(ROOT, "node_modules");
/** Lends a project the packages that are installed here (7 s of a processor instead of 20). */
const BORROW = [
  "mkdir node_modules",
  `lent=$(cd "${ROOT}" && npm ls --all --parseable --omit=dev --loglevel=error | sed -nE 's#^${MODULES}/((@[^/]+/)?[^/]+).*#\\1#p' | grep -vE '^(@tunnelplane/|(create-)?tunnelplane$)' | sort -u)`,
  `(cd "${MODULES}" && cp -al --parents $lent "$OLDPWD/node_modules")`,
];

const { locateEngine } = require("../../tools/scripts/engine.cjs") as { locateEngine(): string | undefined };

/** Projects as strangers make them, from packed tarballs in a folder outside of the repository. */
export class OwnProjects {
  private constructor(
    private readonly packed: Packed,
    /** A project of the example that uses all packages, installed; the other projects borrow them. */
    readonly installed: string,
  ) {}

  static async start(): Promise<OwnProjects> {
    const packed = Packed.make();
    const installed = join(packed.folder, "installed");
    const create = `npm exec --yes --package="${packed.tarball("create-tunnelplane")}" -- create-tunnelplane installed --example first-tunnel --packages tarballs`;
    await typed(
      [
        create,
        `mkdir create && tar xzf "${packed.tarball("create-tunnelplane")}" -C create --strip-components=1`,
        "cd installed",
        ...(SOAK ? [] : BORROW),
        "npm install --no-audit --no-fund --loglevel=error",
      ],
      { folder: packed.folder, env: {} },
    );
    return new OwnProjects(packed, installed);
  }

  get folder(): string {
    return this.packed.folder;
  }

  get template(): string {
    return join(this.folder, "create", "template");
  }

  /** Its path is short, because a gateway in it has sockets. */
  emptyFolder(name: string): string {
    const folder = join(this.folder, "p", name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  async project(name: string, ...options: string[]): Promise<string> {
    await typed([`${this.#create} ${name} ${options.join(" ")}`], { folder: this.folder, env: {} });
    return join(this.folder, name);
  }

  get #create(): string {
    return `node "${join(this.folder, "create", "create.cjs")}" --packages "${join(this.folder, "tarballs")}"`;
  }

  /** A shell after the steps that the set-up printed, with a home, and ports that nobody else uses. */
  async shellIn(folder: string, env: Shell["env"] = {}): Promise<Shell> {
    const home = join(this.folder, "homes", relative(this.folder, folder));
    mkdirSync(join(home, "state"), { recursive: true });
    const path = [
      ...[join(locateEngine() ?? "", "bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin"],
      "/bin",
    ];
    const [server, https, ssh, metrics, program] = await Promise.all([1, 2, 3, 4, 5].map(freePort));
    return {
      folder,
      env: {
        HOME: home,
        PULUMI_HOME: home,
        // "pulumi login --local" means the home of the user who runs it, whatever HOME says.
        PULUMI_BACKEND_URL: `file://${join(home, "state")}`,
        PATH: path.join(delimiter),
        TUNNELPLANE_LISTEN: `127.0.0.1:${server}`,
        TUNNELPLANE_BASE_URL: `http://127.0.0.1:${server}`,
        PULUMI_SKIP_CONFIRMATIONS: "true",
        PULUMI_SKIP_UPDATE_CHECK: "1",
        PULUMI_SKIP_CHECKPOINTS: "true",
        ...LEAN_ENGINE,
        SSH_ASKPASS: askpass(home),
        SSH_ASKPASS_REQUIRE: "force",
        DISPLAY: ":0",
        ...env,
      },
      replace: {
        "npm run new --": this.#create,
        "npx --no tunnelplane new": this.#create,
        "npm install": `ln -s "${join(this.installed, "node_modules")}" node_modules`,
        "http://127.0.0.1:4040": `http://127.0.0.1:${server}`,
        "tpk_…": "$(printed 'tpk_[A-Za-z0-9_-]{20,}' | head -1)",
        "PASSPHRASE=…": "PASSPHRASE=something",
        "443=127.0.0.1:8443": `443=127.0.0.1:${https} --metrics 127.0.0.1:${metrics}`,
        "443:127.0.0.1:8443": `443:127.0.0.1:${https}`,
        "127.0.0.1:2222": `127.0.0.1:${ssh}`,
        "ssh -N -p 2222": `printed "edge applied" >/dev/null; ssh -F none -o UserKnownHostsFile="${join(home, "known_hosts")}" -N -p ${ssh}`,
        "http.server 8000": `http.server ${program} --bind 127.0.0.1`,
        "localhost:8000": `127.0.0.1:${program}`,
        "curl --cacert": `printed "agent bound" >/dev/null; curl -s --retry 100 --retry-delay 1 --retry-all-errors --cacert`,
      },
    };
  }
}

/** A program that answers what ssh asks: whether the host is the right one, and the password. */
function askpass(home: string): string {
  const file = join(home, "askpass");
  if (!existsSync(file))
    writeFileSync(
      file,
      `#!/bin/sh\ncase "$1" in *yes/no*) echo yes ;; *) pulumi stack output authtoken --show-secrets ;; esac\n`,
    );
  chmodSync(file, 0o700);
  return file;
}
