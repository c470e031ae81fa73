// Loaded into a server before its own code (node --require): adds a line to the file COUNTED_CRYPTO for each key pair
// that it makes and each signature.
const crypto = require("node:crypto");
const { appendFileSync } = require("node:fs");
const { promisify } = require("node:util");

for (const name of ["generateKeyPair", "generateKeyPairSync", "sign", "createSign"]) {
  const counted =
    (real) =>
    (...args) => {
      appendFileSync(process.env.COUNTED_CRYPTO, `${name}\n`);
      return real(...args);
    };
  const real = crypto[name];
  crypto[name] = Object.assign(counted(real), { [promisify.custom]: counted(promisify(real)) });
}
