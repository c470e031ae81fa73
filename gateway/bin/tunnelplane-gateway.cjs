#!/usr/bin/env node
// In the repository before anything is built, so that npm can link it; the built file could not be run by
// itself.
require("../dist/cli.js");
