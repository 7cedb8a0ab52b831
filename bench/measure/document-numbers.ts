/**
 * Returns the whole number after the first occurrence of a name from `from` on, or after its last one; NaN without an
 * occurrence.
 */
export function numberAfter(bytes: Buffer, name: Buffer, from: number | null = null): number {
  const found = from === null ? bytes.lastIndexOf(name) : bytes.indexOf(name, from)
  if (found < 0) return NaN
  let number = 0
  for (let at = found + name.length; ; at++) {
    const digit = (bytes[at] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return number
    number = number * 10 + digit
  }
}

const ZERO = 0x30
