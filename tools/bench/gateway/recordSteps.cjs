// Loaded into a gateway that is measured: adds a line of JSON to STEPS_FILE for each step of a change.
const { subscribe } = require("node:diagnostics_channel");
const { appendFileSync } = require("node:fs");

subscribe("tunnelplane.gateway.step", (step) => {
  appendFileSync(process.env.STEPS_FILE, `${JSON.stringify(step)}\n`);
});
