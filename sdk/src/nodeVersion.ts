// Imported before anything that needs what an older Node lacks, so that one line says so. An error that is
// thrown would be ten.
const { engines }: { engines: { node: string } } = require("../package.json");
const oldest = engines.node.replace(">=", "");

const [major = 0, minor = 0] = oldest.split(".").map(Number);
const [itsMajor = 0, itsMinor = 0] = process.versions.node.split(".").map(Number);
if (itsMajor < major || (itsMajor === major && itsMinor < minor)) {
  console.error(
    `tunnelplane needs Node ${oldest} or newer; this is Node ${process.versions.node}: install a newer one`,
  );
  process.exit(1);
}
