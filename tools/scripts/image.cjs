// Makes a container image, without a daemon: the Debian package of ours and the Envoy of the set-up over those packages
// of Debian that they need, and no shell. The archive is an OCI layout that `docker load` and `podman load` take:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { gzipSync } = require("node:zlib");
const { LIBRARY } = require("./debian.cjs");
const { locateEnvoy } = require("./envoy.cjs");
const { ARCHITECTURES } = require("./platforms.cjs");

/** The first one makes the links that the files of others are under. */
const PACKAGES = ["base-files", "libc6", "libgcc-s1", "libstdc++6", "ca-certificates"];
const UNREAD = ["usr/share/man", "usr/share/locale", "usr/share/lintian", "usr/share/info"];
/** Always the same, so that the same files make the same image. */
const MADE = "1970-01-01T00:00:00Z";
const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
/** What people have given their secrets to; the image of Envoy runs beside it as the same user. */
const USER = 1000;
/** The folders that a new volume takes its owner from. */
const VOLUMES = ["data", "state"];

const FILES = {
  "etc/passwd": `root:x:0:0:root:/:/usr/sbin/nologin
tunnelplane:x:${USER}:${USER}:tunnelplane:/data:/usr/sbin/nologin
`,
  "etc/group": `root:x:0:\ntunnelplane:x:${USER}:\n`,
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  "usr/share/doc/envoy/copyright":
    "Envoy, https://github.com/envoyproxy/envoy: Apache-2.0, see /usr/share/common-licenses/Apache-2.0\n",
  "usr/bin/tunnelplane": `#!${LIBRARY}/node\nrequire("${LIBRARY}/package/bin/tunnelplane.cjs");\n`,
};

/** Those of a folder, which gets what it lacks from apt's sources. @returns their files */
function debianPackages(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const found = (name) => fs.readdirSync(folder).find((file) => file.startsWith(`${name}_`));
  const missing = PACKAGES.filter((name) => !found(name));
  try {
    if (missing.length > 0)
      execFileSync("apt-get", ["download", "--quiet", ...missing], { cwd: folder, stdio: "pipe" });
  } catch (error) {
    const why = String(error.stderr ?? error.message).trim();
    throw new Error(`the image needs packages of Debian: run this there, after apt-get update\n${why}`);
  }
  return PACKAGES.map((name) => join(folder, found(name)));
}

function fillRoot(root, packages, ours) {
  const status = join(root, "var/lib/dpkg/status.d");
  for (const file of [...packages, ours]) {
    execFileSync("dpkg-deb", ["--extract", file, root]);
    // Where scanners of images without dpkg look.
    fs.mkdirSync(status, { recursive: true });
    const control = execFileSync("dpkg-deb", ["--field", file], { encoding: "utf8" });
    fs.writeFileSync(join(status, /^Package: (.*)$/m.exec(control)[1]), control);
  }
  for (const path of UNREAD) fs.rmSync(join(root, path), { recursive: true, force: true });
  const authorities = join(root, "usr/share/ca-certificates/mozilla");
  const texts = fs.readdirSync(authorities).map((name) => fs.readFileSync(join(authorities, name), "utf8"));
  const files = { ...FILES, "etc/ssl/certs/ca-certificates.crt": texts.join("") };
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
  const envoy = locateEnvoy();
  if (envoy === undefined)
    throw new Error("the image needs Envoy: run node tools/scripts/setup.cjs envoy first");
  fs.copyFileSync(envoy, join(root, "usr/bin/envoy"));
  for (const name of ["envoy", "tunnelplane"]) fs.chmodSync(join(root, "usr/bin", name), 0o755);
  for (const path of ["dev", "proc", "sys", "tmp", "run/secrets", "certs"])
    fs.mkdirSync(join(root, path), { recursive: true });
  fs.chmodSync(join(root, "tmp"), 0o1777);
}

/** The same bytes from the same files, whoever makes it. */
function layerOf(root, file) {
  const tar = (how, id, names) =>
    execFileSync("tar", [
      ...[how, file, "--format=gnu", "--sort=name", "--mtime=@0", "--numeric-owner"],
      ...[`--owner=${id}`, `--group=${id}`, "-C", root, ...names],
    ]);
  tar("-cf", 0, fs.readdirSync(root).sort());
  for (const name of VOLUMES) fs.mkdirSync(join(root, name), { mode: 0o700 });
  tar("-rf", USER, VOLUMES);
  return fs.readFileSync(file);
}

const digestOf = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Health checks are Docker's addition; an OCI runtime passes over them. */
const configOf = (layer, architecture, version) => ({
  architecture,
  os: "linux",
  config: {
    User: `${USER}:${USER}`,
    ExposedPorts: { "4040/tcp": {}, "8443/tcp": {}, "2222/tcp": {} },
    Env: [
      `PATH=${PATH}`,
      "NODE_ENV=production",
      "TUNNELPLANE_LISTEN=0.0.0.0:4040",
      "TUNNELPLANE_DATA=/data",
      "TUNNELPLANE_GATEWAY_STATE=/state",
      "TUNNELPLANE_DEV_HOST=0.0.0.0",
    ],
    Entrypoint: ["/usr/bin/tunnelplane"],
    Cmd: ["serve"],
    Volumes: { "/data": {} },
    WorkingDir: "/",
    Healthcheck: {
      Test: ["CMD", "/usr/bin/tunnelplane", "health"],
      ...{ Interval: 10e9, Timeout: 5e9, StartPeriod: 20e9 },
    },
    Labels: {
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.source": "https://github.com/tunnelplane/tunnelplane",
    },
  },
  created: MADE,
  rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
  history: [{ created: MADE, created_by: "tools/scripts/image.cjs" }],
});

/** Writes the layout, and the list that Docker's own archives have. */
function writeLayout(folder, layer, architecture, version) {
  fs.mkdirSync(join(folder, "blobs/sha256"), { recursive: true });
  const pathOf = (digest) => `blobs/${digest.replace(":", "/")}`;
  const put = (kind, bytes, more = {}) => {
    const digest = digestOf(bytes);
    fs.writeFileSync(join(folder, pathOf(digest)), bytes);
    return { mediaType: `application/vnd.oci.image.${kind}`, digest, size: bytes.length, ...more };
  };
  const json = (value) => Buffer.from(JSON.stringify(value));
  const config = put("config.v1+json", json(configOf(layer, architecture, version)));
  const layers = [put("layer.v1.tar+gzip", gzipSync(layer))];
  const manifest = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config,
    layers,
  };
  const name = `tunnelplane:${version}`;
  const annotations = {
    "org.opencontainers.image.ref.name": version,
    "io.containerd.image.name": `docker.io/library/${name}`,
  };
  const platform = { architecture, os: "linux" };
  const manifests = [put("manifest.v1+json", json(manifest), { platform, annotations })];
  const ofDocker = { Config: pathOf(config.digest), RepoTags: [name], Layers: [pathOf(layers[0].digest)] };
  for (const [file, value] of Object.entries({
    "oci-layout": { imageLayoutVersion: "1.0.0" },
    "index.json": { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests },
    "manifest.json": [ofDocker],
  }))
    fs.writeFileSync(join(folder, file), json(value));
}

/**
 * @param ours the Debian package of tunnelplane
 * @param out the folder for it
 * @param downloads the folder of Debian's packages, which gets those that it lacks
 * @returns the file
 */
function makeImage(ours, out, version, downloads) {
  const work = fs.mkdtempSync(join(tmpdir(), "tunnelplane-image-"));
  const umask = process.umask(0o022);
  try {
    const [root, layout] = ["root", "layout"].map((name) => join(work, name));
    fs.mkdirSync(root);
    fillRoot(root, debianPackages(downloads ?? join(work, "downloads")), ours);
    const layer = layerOf(root, join(work, "layer.tar"));
    writeLayout(layout, layer, ARCHITECTURES[process.arch], version);
    const file = join(out, `tunnelplane-v${version}-linux-${process.arch}.oci.tar`);
    fs.mkdirSync(out, { recursive: true });
    execFileSync("tar", [
      "-cf",
      file,
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "-C",
      layout,
      ".",
    ]);
    return file;
  } finally {
    process.umask(umask);
    fs.rmSync(work, { recursive: true, force: true });
  }
}

module.exports = { makeImage };
