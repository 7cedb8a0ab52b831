/** A decimal: `digits` · 10^`exponent`. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Exponents of three digits cover doubles and the DECIMAL of both servers; longer ones would need too much memory. */
const NUMBER = /^([+-]?\d{1,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,3}))?$/i

/** Returns the number that a text is, exactly; null for another text. */
export function decimalOf(text: string): Decimal | null {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (whole === undefined) return null
  return { digits: BigInt(whole.replace(/^\+/, '') + fraction), exponent: Number(exponent) - fraction.length }
}

/** Returns a negative number, 0 or a positive number. No digit is rounded. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const exponent = Math.min(a.exponent, b.exponent)
  const [x, y] = [a, b].map((each) => each.digits * 10n ** BigInt(each.exponent - exponent))
  return x === undefined || y === undefined || x === y ? 0 : x < y ? -1 : 1
}
