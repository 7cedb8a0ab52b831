import { type ConnectValue, Decimal, EncodedText, type Schema, Struct } from '@tributary/connect-api'

/**
 * Java's `hashCode` of the object that a value is in Connect, a signed number of 32 bits. A struct has the hash of its
 * values: that of Java also depends on the process.
 */
export function javaHash(value: ConnectValue, schema: Schema): number {
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 1231 : 1237
  if (typeof value === 'number' || typeof value === 'bigint') return numberHash(value, schema)
  if (typeof value === 'string' || value instanceof EncodedText) return textHash(String(value))
  if (value instanceof Decimal) return (Math.imul(31, bigIntegerHash(BigInt(value.unscaled))) + value.scale) | 0
  if (value instanceof Uint8Array)
    return value.reduceRight((hash, byte) => (Math.imul(31, hash) + signedByte(byte)) | 0, 1)
  if (value instanceof Struct) {
    return value.schema.fields.reduce((hash, field) => combined(hash, javaHash(value.at(field.index), field.schema)), 1)
  }
  const items = schema.valueSchema ?? schema
  if (!(value instanceof Map)) {
    return (value as readonly ConnectValue[]).reduce((hash: number, item) => combined(hash, javaHash(item, items)), 1)
  }
  let sum = 0
  for (const [key, item] of value as ReadonlyMap<ConnectValue, ConnectValue>) {
    sum = (sum + (javaHash(key, schema.keySchema ?? schema) ^ javaHash(item, items))) | 0
  }
  return sum
}

function combined(hash: number, next: number): number {
  return (Math.imul(31, hash) + next) | 0
}

function signedByte(byte: number): number {
  return (byte << 24) >> 24
}

const MS_PER_DAY = 86_400_000

const bits = new DataView(new ArrayBuffer(8))

function numberHash(value: number | bigint, { type, name }: Schema): number {
  // These are java.util.Date, whose hash is that of its milliseconds.
  if (name === 'org.apache.kafka.connect.data.Date') return longHash(BigInt(value) * BigInt(MS_PER_DAY))
  if (name === 'org.apache.kafka.connect.data.Time') return longHash(BigInt(value))
  if (type === 'int64') return longHash(BigInt(value))
  if (type === 'float') {
    bits.setFloat32(0, Number(value))
    return bits.getInt32(0)
  }
  if (type === 'double') {
    bits.setFloat64(0, Number(value))
    return bits.getInt32(0) ^ bits.getInt32(4)
  }
  return Number(value)
}

function longHash(value: bigint): number {
  bits.setBigInt64(0, value)
  return bits.getInt32(0) ^ bits.getInt32(4)
}

function textHash(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0
  return hash
}

/** Of the 32-bit words of the magnitude, with the sign. */
function bigIntegerHash(value: bigint): number {
  const words: number[] = []
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 32n) words.push(Number(BigInt.asIntN(32, rest)))
  const hash = words.reduceRight((sum, word) => (Math.imul(31, sum) + word) | 0, 0)
  return value < 0n ? -hash | 0 : hash
}
