#!/usr/bin/env node
import "@tunnelplane/sdk/compiled";
import { guardOutput, loadInLittleMemory } from "@tunnelplane/sdk/node";

// Before anything large loads.
if (process.argv[2] === "run") loadInLittleMemory();
guardOutput();
const { start }: typeof import("./commands/start") = require("./commands/start");
start();
