// Loaded into a server before its own code (node --require): its monotonic clock, by which it waits for those
// who read nothing, is three times as fast.
const SPEED = 3;
const now = performance.now.bind(performance);
performance.now = () => now() * SPEED;
