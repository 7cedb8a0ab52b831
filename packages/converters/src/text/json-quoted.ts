/** Returns a JSON string as Java writes it in the texts of schemas: only quotes, backslashes and control characters are escaped. */
export function jsonQuoted(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what JSON escapes
  return `"${text.replaceAll(/["\\\u0000-\u001f]/g, escapeOf)}"`
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function escapeOf(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
