/** The bytes of b'101' as hexadecimal digits. */
export function hexOfBits(bits: string): string {
  const digits = bits === '' ? '' : BigInt(`0b${bits}`).toString(16)
  return digits.padStart(Math.ceil(bits.length / 8) * 2, '0')
}
