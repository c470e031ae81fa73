// Makes a Debian package of the package `tunnelplane`: with a Node, because Debian's is older, and
// with the units of deploy/systemd.
const { execFileSync } = require("node:child_process");
const {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { ROOT } = require("./packages.cjs");
const { ARCHITECTURES, HERE } = require("./platforms.cjs");

const LIBRARY = "/usr/lib/tunnelplane";

/** Units, and the users that they run as, each with its folder: the gateway does not read what the server keeps. */
const USERS = "tunnelplane tunnelplane-gateway";

/** Found from where it stands, so that it works in a root folder of its own. */
const COMMAND = `#!/bin/sh
library="$(dirname "$(readlink -f "$0")")/../lib/tunnelplane"
exec "$library/node" "$library/package/bin/tunnelplane.cjs" "$@"
`;

/** Works in a root folder of its own, too, where names of users are not those of the machine. */
const POSTINST = `#!/bin/sh
set -e
install -d -m 755 "$DPKG_ROOT/etc/tunnelplane"
install -d -m 700 "$DPKG_ROOT/etc/tunnelplane/certs"
for name in ${USERS}; do
  grep -qs "^$name:" "$DPKG_ROOT/etc/passwd" ||
    useradd \${DPKG_ROOT:+--prefix} \${DPKG_ROOT:+"$DPKG_ROOT"} --system --user-group --no-create-home \\
      --home-dir "/var/lib/$name" --shell /usr/sbin/nologin "$name"
  install -d -m 700 "$DPKG_ROOT/var/lib/$name"
  chown "$(sed -n "s/^$name:[^:]*:\\([0-9]*:[0-9]*\\):.*/\\1/p" "$DPKG_ROOT/etc/passwd")" "$DPKG_ROOT/var/lib/$name"
done
[ "$1" != configure ] || [ -n "$2" ] || echo "Next: systemctl enable --now tunnelplane && journalctl -u tunnelplane    # shows the admin's API key, once"
[ ! -d /run/systemd/system ] || [ -n "$DPKG_ROOT" ] || systemctl daemon-reload
`;

const PRERM = `#!/bin/sh
set -e
[ ! -d /run/systemd/system ] || [ -n "$DPKG_ROOT" ] || [ "$1" = upgrade ] || systemctl stop ${USERS} || true
`;

const POSTRM = `#!/bin/sh
set -e
[ "$1" = purge ] || exit 0
rm -rf "$DPKG_ROOT/etc/tunnelplane"
for name in ${USERS}; do
  rm -rf "$DPKG_ROOT/var/lib/$name"
  for what in userdel groupdel; do
    $what \${DPKG_ROOT:+--prefix} \${DPKG_ROOT:+"$DPKG_ROOT"} "$name" 2>/dev/null || true
  done
done
`;

/** The units name the places of a clone, and leave users to systemd. */
const ofPackage = (name, unit) =>
  unit
    .replace("DynamicUser=yes", `User=${name.replace(".service", "")}`)
    .replaceAll(
      /\/usr\/bin\/node \S* ?\/opt\/tunnelplane\/server\/dist\/cli\/main\.js/g,
      "/usr/bin/tunnelplane",
    )
    .replaceAll("/usr/bin/node /opt/tunnelplane/gateway/dist/cli.js", "/usr/bin/tunnelplane gateway")
    .replaceAll("/opt/tunnelplane/deploy/systemd", LIBRARY)
    .replace(/The package is in \/opt\/tunnelplane; (\w)/, (_, letter) => letter.toUpperCase());

/**
 * @param tarball of the package `tunnelplane`
 * @param out the folder for it
 * @returns the file
 */
function makeDebianPackage(tarball, out, version, platform = HERE) {
  const architecture = ARCHITECTURES[platform.arch];
  const root = mkdtempSync(join(tmpdir(), "tunnelplane-debian-"));
  try {
    const write = (path, text, mode = 0o644) => {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), text, { mode });
    };
    mkdirSync(join(root, LIBRARY, "package"), { recursive: true });
    execFileSync("tar", ["xzf", tarball, "-C", join(root, LIBRARY, "package"), "--strip-components=1"]);
    cpSync(platform.node, join(root, LIBRARY, "node"));
    write("/usr/bin/tunnelplane", COMMAND, 0o755);
    const units = join(ROOT, "deploy/systemd");
    for (const name of readdirSync(units).filter((one) => /\.(service|path|timer)$/.test(one)))
      write(`/usr/lib/systemd/system/${name}`, ofPackage(name, readFileSync(join(units, name), "utf8")));
    cpSync(join(units, "copy-certificates.sh"), join(root, LIBRARY, "copy-certificates.sh"));
    for (const [name, text] of Object.entries({ postinst: POSTINST, prerm: PRERM, postrm: POSTRM }))
      write(`/DEBIAN/${name}`, text, 0o755);
    write(
      "/DEBIAN/control",
      `Package: tunnelplane
Version: ${version}
Architecture: ${architecture}
Maintainer: tunnelplane <https://github.com/tunnelplane/tunnelplane>
Depends: libc6, libstdc++6, passwd
Recommends: ca-certificates, openssh-client
Homepage: https://github.com/tunnelplane/tunnelplane
Description: self-hosted control plane for tunnels
 Server, gateway and all commands, with the Node that runs them. Envoy is not inside.
`,
    );
    const file = join(out, `tunnelplane_${version}_${architecture}.deb`);
    mkdirSync(out, { recursive: true });
    execFileSync("dpkg-deb", ["--build", "--root-owner-group", "-Zgzip", "-z6", root, file], {
      stdio: "pipe",
    });
    return file;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

module.exports = { LIBRARY, makeDebianPackage };
