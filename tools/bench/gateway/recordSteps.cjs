// Loaded into a gateway that is measured. Once a change is served, it adds a line of JSON to STEPS_FILE for
// each of the change's steps.
const { subscribe } = require("node:diagnostics_channel");
const { appendFileSync } = require("node:fs");

let lines = "";
subscribe("tunnelplane.gateway.step", (step) => {
  lines += `${JSON.stringify(step)}\n`;
  if (step.step !== "served") return;
  appendFileSync(process.env.STEPS_FILE, lines);
  lines = "";
});
