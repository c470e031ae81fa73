/**
 * Arithmetic on the curve edwards25519 (RFC 8032 section 5.1), enough to check a public key. Not
 * constant-time: public keys are no secrets.
 */
const P = 2n ** 255n - 19n;
/** The order of the subgroup that signatures use. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const modulo = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [square, bits] = [modulo(base), exponent]; bits > 0n; bits >>= 1n, square = (square * square) % P)
    if (bits & 1n) result = (result * square) % P;
  return result;
}

const D = modulo(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

/** X, Y, Z and T of RFC 8032 section 5.1.4. */
type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint];

function sum([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = modulo((y1 - x1) * (y2 - x2));
  const b = modulo((y1 + x1) * (y2 + x2));
  const c = modulo(2n * t1 * t2 * D);
  const d = modulo(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [modulo(e * f), modulo(g * h), modulo(f * g), modulo(e * h)];
}

const isNeutral = ([x, y, z]: Point): boolean => x === 0n && y === z;

/** RFC 8032 section 5.1.3; undefined if the bytes are no point, or not its canonical encoding. */
function decode(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== 32) return undefined;
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const [sign, y] = [number >> 255n, number & (2n ** 255n - 1n)];
  if (y >= P) return undefined;
  const [u, v] = [modulo(y * y - 1n), modulo(D * y * y + 1n)];
  let x = modulo(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (modulo(v * x * x) !== u) x = modulo(x * ROOT_OF_MINUS_ONE);
  if (modulo(v * x * x) !== u || (x === 0n && sign === 1n)) return undefined;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, modulo(x * y)];
}

/** Whether bytes are a point of full order: on the curve, with no component of small order. */
export function isOfFullOrder(bytes: Uint8Array): boolean {
  const point = decode(bytes);
  if (!point || isNeutral(point)) return false;
  let result: Point = [0n, 1n, 1n, 0n];
  for (let [doubled, bits] = [point, L]; bits > 0n; bits >>= 1n, doubled = sum(doubled, doubled))
    if (bits & 1n) result = sum(result, doubled);
  return isNeutral(result);
}
