const { reporters } = require("mocha");

/** Mocha's own report, closed by one plain line that says how it went. */
module.exports = class ClosingLine extends reporters.Spec {
  epilogue() {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ""}`);
  }
};
