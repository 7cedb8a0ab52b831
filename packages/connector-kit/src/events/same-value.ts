import { type ConnectValue, Decimal, EncodedText, Struct } from '@tributary/connect-api'

/** Whether two values of one column are equal. */
export function isSameValue(a: ConnectValue, b: ConnectValue): boolean {
  if (Object.is(a, b)) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (a instanceof EncodedText && b instanceof EncodedText) return isSameText(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  if (a instanceof Struct && b instanceof Struct) return isSameStruct(a, b)
  if (Array.isArray(a) && Array.isArray(b)) return isSameList(a, b)
  if (a instanceof Decimal && b instanceof Decimal) return a.unscaled === b.unscaled && a.scale === b.scale
  return false
}

/** Whether two structs of one schema have equal values. */
export function isSameStruct(a: Struct, b: Struct): boolean {
  return a.schema.fields.every(({ index }) => isSameValue(a.at(index), b.at(index)))
}

function isSameList(a: readonly ConnectValue[], b: readonly ConnectValue[]): boolean {
  return a.length === b.length && a.every((item, i) => isSameValue(item, b[i] ?? null))
}

/** Both are of one column, so in one charset: equal texts have equal bytes, or are compared as texts. */
function isSameText(a: EncodedText, b: EncodedText): boolean {
  return hasSameBytes(a, b) || (a.charset.isLossy === true && a.toString() === b.toString())
}

function hasSameBytes(a: EncodedText, b: EncodedText): boolean {
  const length = a.end - a.start
  if (length !== b.end - b.start) return false
  for (let i = 0; i < length; i++) if (a.bytes[a.start + i] !== b.bytes[b.start + i]) return false
  return true
}
