declare global {
  interface JSON {
    /** Stands for itself in a text that `stringify` writes (ECMAScript 2026; TypeScript 6 does not know it). */
    rawJSON(text: string): unknown
  }
}

/** What JSON.stringify writes otherwise than Jackson: surrogates, and escapes of control characters. */
const differing = /[\ud800-\udfff]|\\u[\da-f]{4}/g
/** An escape, so that the second half of an escaped backslash is not taken for the first of another. */
const escapeOrSurrogate = /\\(?:u[\da-f]{4}|.)|[\ud800-\udfff]/g

/**
 * A value as JSON text in UTF-8, byte for byte as Kafka Connect writes it: compact, a bigint as a number, characters above the basic plane as
 * two escapes, hexadecimal digits of escapes in upper case.
 */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(`${each}`) : each,
  )
  if (text.search(differing) < 0) return text
  return text.replaceAll(escapeOrSurrogate, (match) => {
    if (match.length === 1) return unicodeEscape(match.charCodeAt(0))
    return match.length === 2 ? match : unicodeEscape(Number.parseInt(match.slice(2), 16))
  })
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}`
}
