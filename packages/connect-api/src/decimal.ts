/** Name of the logical type whose values are Decimal; `parameters.scale` is the number of digits after the point. */
export const DECIMAL_SCHEMA_NAME = 'org.apache.kafka.connect.data.Decimal'

/** An exact decimal number: `unscaled × 10^-scale`. */
export class Decimal {
  /** A number up to ±2^53, a bigint beyond. */
  readonly unscaled: number | bigint
  readonly scale: number

  constructor(unscaled: number | bigint, scale: number) {
    this.unscaled = unscaled
    this.scale = scale
  }

  /** Plain notation without exponent: `scale` digits after the point, or zeros before it (BigDecimal.toPlainString). */
  toString(): string {
    const isNegative = this.unscaled < 0
    const digits = String(this.unscaled).slice(isNegative ? 1 : 0)
    if (this.scale <= 0) return `${isNegative ? '-' : ''}${digits}${digits === '0' ? '' : '0'.repeat(-this.scale)}`
    const padded = digits.padStart(this.scale + 1, '0')
    const point = padded.length - this.scale
    return `${isNegative ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`
  }

  /** Big-endian two's complement of the unscaled value in the fewest bytes: java.math.BigInteger.toByteArray. */
  toBytes(): Uint8Array {
    const { unscaled } = this
    if (typeof unscaled === 'bigint') return bytesOfBigInt(unscaled)
    const bytes = new Uint8Array(NUMBER_BYTES_MAX)
    return bytes.subarray(0, putNumber(unscaled, bytes))
  }

  /**
   * As `toBytes`, but into the first bytes of `target`, which has at least seven: a new array costs more than its
   * content. Returns their number; -1, and writes nothing, for a bigint.
   */
  putBytes(target: Uint8Array): number {
    return typeof this.unscaled === 'number' ? putNumber(this.unscaled, target) : -1
  }
}

/** Of a number up to ±2^53 with its sign. */
const NUMBER_BYTES_MAX = 7

/** Without BigInt, whose operations allocate: 60 ns against 400 for four bytes. Nearly all amounts of money fit. */
function putNumber(value: number, bytes: Uint8Array): number {
  const length = byteLength(value)
  // The value modulo 2^32, and the rest above it; both keep the bits of the sign.
  let low = value | 0
  let high = Math.floor(value / 0x1_0000_0000)
  for (let at = length - 1; at >= 0; at--) {
    bytes[at] = low
    low = (low >>> 8) | (high << 24)
    high >>= 8
  }
  return length
}

/** Bytes of a number up to ±2^53; one bit is the sign. */
function byteLength(value: number): number {
  const magnitude = value < 0 ? -1 - value : value
  if (magnitude < 0x80) return 1
  if (magnitude < 0x8000) return 2
  if (magnitude < 0x80_0000) return 3
  if (magnitude < 0x8000_0000) return 4
  if (magnitude < 2 ** 39) return 5
  return magnitude < 2 ** 47 ? 6 : 7
}

function bytesOfBigInt(value: bigint): Uint8Array {
  const magnitude = (value < 0n ? ~value : value).toString(16)
  const magnitudeBits = magnitude.length * 4 - (Math.clz32(Number.parseInt(magnitude.charAt(0), 16)) - 28)
  const length = Math.floor(magnitudeBits / 8) + 1
  const digits = BigInt.asUintN(length * 8, value).toString(16)
  return Buffer.from(digits.padStart(length * 2, '0'), 'hex')
}
