// Chromium without a window, for tests of pages: unpacked from an npm package, with the libraries and fonts
// that it needs, so that a page looks the same on every machine.
const { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");

const ROOT = join(__dirname, "../..");
const FOLDER = join(ROOT, "node_modules", ".tunnelplane", "chromium");
/** It is written last: without it, somebody ended the set-up before it had unpacked everything. */
const SETTINGS = join(FOLDER, "fonts.conf");

/**
 * Where a browser is, and what it has to be started with; undefined where there is none.
 * `TUNNELPLANE_CHROMIUM` names another one.
 */
function locateBrowser() {
  const own = process.env.TUNNELPLANE_CHROMIUM;
  if (own) return { program: own, env: {} };
  const program = join(FOLDER, "chromium");
  if (!existsSync(SETTINGS)) return undefined;
  return { program, env: { LD_LIBRARY_PATH: join(FOLDER, "al2023", "lib"), FONTCONFIG_PATH: FOLDER } };
}

/** The package is made for servers that run Linux on x64, and its own libraries for glibc. */
async function provideBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error(
      `the package has none for ${process.platform} on ${process.arch}; set TUNNELPLANE_CHROMIUM to one that you have`,
    );
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const before = process.env.TMPDIR;
  process.env.TMPDIR = FOLDER; // the package unpacks into the folder for temporary files, and nowhere else
  try {
    const { inflate } = await import("@sparticuz/chromium");
    const archives = join(dirname(require.resolve("@sparticuz/chromium")), "..", "bin");
    for (const name of ["al2023.tar.br", "fonts.tar.br", "chromium.br"]) await inflate(join(archives, name));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  chmodSync(join(FOLDER, "chromium"), 0o755);
  writeFileSync(SETTINGS, fontSettings());
}

const fontSettings = () => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(FOLDER, "fonts")}</dir>
  <dir>${dirname(require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"))}</dir>
  <cachedir>${join(FOLDER, "font-cache")}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family><family>DejaVu Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family><family>DejaVu Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

module.exports = { locateBrowser, provideBrowser };
