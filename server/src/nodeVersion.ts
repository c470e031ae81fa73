import { isBuiltin } from "node:module";

// Imported before anything that needs what an older Node lacks, so that this is what one gets to read.
if (!isBuiltin("node:sqlite")) {
  console.error(`tunnelplane needs Node 22.13 or newer; this is ${process.version}. In the repository, npm run serve uses a pinned one.`);
  process.exit(1);
}
