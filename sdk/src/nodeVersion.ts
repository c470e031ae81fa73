// Imported before anything that needs a newer Node, so that one line says so. A thrown error would take ten
// lines.
const { engines }: { engines: { node: string } } = require("../package.json");
const oldest = engines.node.replace(">=", "");

const [major = 0, minor = 0] = oldest.split(".").map(Number);
const [itsMajor = 0, itsMinor = 0] = process.versions.node.split(".").map(Number);
if (itsMajor < major || (itsMajor === major && itsMinor < minor)) {
  console.error(
    `tunnelplane needs Node ${oldest} or newer; this is Node ${process.versions.node}: install a newer one, or have npm run a command with one: npx --package node@24 -- tunnelplane …`,
  );
  process.exit(1);
}
