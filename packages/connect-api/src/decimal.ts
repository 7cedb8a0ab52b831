/** Name of the logical type whose values are Decimal; `parameters.scale` holds the digits after the point. */
export const DECIMAL_SCHEMA_NAME = 'org.apache.kafka.connect.data.Decimal'

/** An exact decimal number: `unscaled × 10^-scale`. */
export class Decimal {
  /** A number while it fits ±2^53, else a bigint. */
  readonly unscaled: number | bigint
  readonly scale: number

  constructor(unscaled: number | bigint, scale: number) {
    this.unscaled = unscaled
    this.scale = scale
  }

  /** Plain notation with exactly `scale` digits after the point, no exponent. */
  toString(): string {
    const isNegative = this.unscaled < 0
    const digits = String(this.unscaled).slice(isNegative ? 1 : 0)
    if (this.scale === 0) return isNegative ? `-${digits}` : digits
    const padded = digits.padStart(this.scale + 1, '0')
    const point = padded.length - this.scale
    return `${isNegative ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`
  }

  /** Big-endian two's complement of the unscaled value in the fewest bytes: java.math.BigInteger.toByteArray. */
  toBytes(): Uint8Array {
    let rest = BigInt(this.unscaled)
    const bytes: number[] = []
    do {
      bytes.push(Number(BigInt.asUintN(8, rest)))
      rest >>= 8n
    } while (rest !== 0n && rest !== -1n)
    // The top bit of the first byte is the sign: one byte more where it says otherwise.
    const isSignWrong = (bytes[bytes.length - 1] as number) >> 7 !== (rest === 0n ? 0 : 1)
    if (isSignWrong) bytes.push(rest === 0n ? 0 : 0xff)
    return Uint8Array.from(bytes.reverse())
  }
}
