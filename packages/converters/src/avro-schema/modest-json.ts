/**
 * Whether JSON is small enough to parse: every two bytes of a hostile answer can become an object of fifty, so that 16
 * MiB would fill the heap; and code that walks a value nests as deeply as the value.
 *
 * Counts brackets and commas outside of strings. A text that is not JSON is refused by its parser.
 */
export function isModest(text: string): boolean {
  let values = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1)
        break
      case OPENING_BRACKET:
      case OPENING_BRACE:
        values += 1
        depth += 1
        if (depth > DEPTH_MAX) return false
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1
        break
      case COMMA:
        values += 1
        break
      default:
    }
    if (values > VALUES_MAX) return false
  }
  return true
}

/**
 * Parses JSON.
 *
 * @throws SyntaxError for a text that is not JSON, or not modest
 */
export function modestJson(text: string): unknown {
  if (!isModest(text))
    throw new SyntaxError('it has more values, or nests them more deeply, than a schema of any table')
  const value: unknown = JSON.parse(text)
  return value
}

/** The index of the quote that ends a string; the length of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return text.length
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** A schema of 4096 columns, the most that a table has, has ten values for each: type, parameters, default. */
const VALUES_MAX = 200_000

/** A schema of a table has 8 levels. */
const DEPTH_MAX = 100
