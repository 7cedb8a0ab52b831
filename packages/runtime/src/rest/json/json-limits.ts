/** Limits of Jackson's `StreamReadConstraints` with their defaults, which Kafka Connect leaves as they are. */
export const stringLengthMax = 20_000_000
export const nameLengthMax = 50_000
export const numberLengthMax = 1_000
export const nestingDepthMax = 1_000

/**
 * A longer string is refused when this much of it has been read, and the error says this length: what the segments of
 * Jackson's text buffer hold when they first hold more than the limit (measured on Connect 4.3.1).
 */
export const stringLengthRead = 20_051_112

/** A longer name is refused when this many of its bytes have been read (measured there, too). */
export const nameBytesRead = 65_536

export function describeStringLength(length: number): string {
  const read = Math.min(length, stringLengthRead)
  return `String value length (${read}) exceeds ${limit(stringLengthMax, 'StringLength')}`
}

export function describeNameLength(bytes: number): string {
  return `Name length (${Math.min(bytes, nameBytesRead)}) exceeds ${limit(nameLengthMax, 'NameLength')}`
}

export function describeNumberLength(length: number): string {
  return `Number value length (${length}) exceeds ${limit(numberLengthMax, 'NumberLength')}`
}

export function describeNestingDepth(depth: number): string {
  return `Document nesting depth (${depth}) exceeds ${limit(nestingDepthMax, 'NestingDepth')}`
}

function limit(max: number, property: string): string {
  return `the maximum allowed (${max}, from \`StreamReadConstraints.getMax${property}()\`)`
}
