import { type ConnectValue, Decimal, EncodedText, Struct } from '@tributary/connect-api'
import { textOf } from './text-of.ts'

/** Whether two values of one schema are equal: Java's `equals`, but bytes are compared by content. */
export function isSameValue(a: ConnectValue, b: ConnectValue): boolean {
  if (Object.is(a, b)) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return isSameText(a, b)
  if (a instanceof EncodedText || b instanceof EncodedText) return isSameText(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Decimal) {
    return b instanceof Decimal && a.scale === b.scale && BigInt(a.unscaled) === BigInt(b.unscaled)
  }
  if (a instanceof Struct) {
    return b instanceof Struct && a.schema.fields.every(({ index }) => isSameValue(a.at(index), b.at(index)))
  }
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => isSameValue(item as ConnectValue, b[i] as ConnectValue))
    )
  }
  return a instanceof Map && b instanceof Map && isSameMap(a, b)
}

type ConnectMap = ReadonlyMap<ConnectValue, ConnectValue>

/** Entries in any order. Keys that are no primitives are found by comparing them all. */
function isSameMap(a: ConnectMap, b: ConnectMap): boolean {
  if (a.size !== b.size) return false
  return Array.from(a).every(([key, value]) => {
    const other = b.get(key) ?? Array.from(b).find(([otherKey]) => isSameValue(key, otherKey))?.[1]
    return other === undefined ? b.has(key) && value === null : isSameValue(value, other)
  })
}

function isSameText(a: ConnectValue, b: ConnectValue): boolean {
  if (a instanceof EncodedText && b instanceof EncodedText && a.charset === b.charset) {
    // Equal bytes are equal texts; the converse does not hold in every charset.
    if (a.bytes.compare(b.bytes, b.start, b.end, a.start, a.end) === 0) return true
  }
  const text = textOf(a)
  return text !== null && text === textOf(b)
}
