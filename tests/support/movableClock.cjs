// Loaded into a server before its own code (node --require): its clock goes ahead by an hour with each SIGUSR2,
// and back to the real time with SIGWINCH.
const HOUR_MS = 3_600_000;
const RealDate = Date;
let aheadMs = 0;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + aheadMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
process.on("SIGUSR2", () => {
  aheadMs += HOUR_MS;
});
process.on("SIGWINCH", () => {
  aheadMs = 0;
});
