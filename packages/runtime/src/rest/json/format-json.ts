declare global {
  interface JSON {
    /** `stringify` writes the text as it is (ECMAScript 2026, not declared by TypeScript 6). */
    rawJSON(text: string): unknown
  }
}

/** What JSON.stringify and Jackson write differently: surrogates, and escapes of control characters. */
const differing = /[\ud800-\udfff]|\\u[\da-f]{4}/g
/** Matches `\\` as one escape, so that the second backslash of `\\u1234` does not start another one. */
const escapeOrSurrogate = /\\(?:u[\da-f]{4}|.)|[\ud800-\udfff]/g

/**
 * A value as JSON, byte for byte as Kafka Connect writes it: compact, a bigint as a number, characters above U+FFFF as
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

/**
 * A value as JSON in UTF-8. As bytes, since to the Content-Type of a text Fastify adds a charset, unlike Kafka Connect.
 */
export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(formatJson(value))
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}`
}
