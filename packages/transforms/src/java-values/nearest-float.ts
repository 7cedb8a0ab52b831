/**
 * The 32-bit float that is nearest to a number in a text, as Java's Float.parseFloat rounds: once. Rounding to a double
 * first changes the result where the double is exactly between two floats.
 *
 * `text`: digits with a point and exponent.
 */
export function nearestFloat(text: string): number {
  const double = Number(text)
  const float = Math.fround(double)
  if (float === double || !isHalfway(double, float) || text.length > EXACT_LENGTH_MAX) return float
  const difference = compareExactly(text, double)
  if (difference === 0) return float
  const other = 2 * double - float
  return difference > 0 ? Math.max(float, other) : Math.min(float, other)
}

/** The float nearest to a whole number. */
export function floatOfLong(value: number | bigint): number {
  return typeof value === 'number' ? Math.fround(value) : nearestFloat(String(value))
}

/** More digits than this are not typed, and take long to compare. */
const EXACT_LENGTH_MAX = 1000

/** Whether the double is exactly between the float and the next one on its other side. */
function isHalfway(double: number, float: number): boolean {
  if (!Number.isFinite(float)) return false
  const other = 2 * double - float
  return Math.fround(other) === other && other !== float
}

/** Positive: the text is the larger number. Both are finite. */
function compareExactly(text: string, double: number): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(`${whole}${fraction}`.replace('+', ''))
  const scale = Number(exponent) - fraction.length
  // A float, and so the middle of two, is a whole number of 2^-150.
  const scaled = BigInt(double * 2 ** 75 * 2 ** 75)
  const left = digits * 2n ** 150n * (scale > 0 ? 10n ** BigInt(scale) : 1n)
  const right = scaled * (scale < 0 ? 10n ** BigInt(-scale) : 1n)
  return left > right ? 1 : left < right ? -1 : 0
}
