/** The whole number behind the first such name from a place on, or behind the last one of all; NaN when there is none. */
export function numberBehind(bytes: Buffer, name: Buffer, from: number | null = null): number {
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
