/** A list with more names is one automaton of RE2, which compares a text with all of them at once. */
const NAMES_MAX = 20

/** V8 refuses a large expression only when it is first used. A database and a table have at most 64 characters each. */
const CHARACTERS_MAX = 1_000

/** Nothing is repeated and nothing alternates, so that a match takes one step per character. */
const NAME = /^(?:\w|-|\\?\.)*$/

/** As `.` in Java without flags. */
const ANY_BUT_LINE_END = String.raw`[^\n\r\u0085\u2028\u2029]`

/**
 * Patterns that are only names, as in most lists (`inventory`, `inventory.orders`, `inventory\.orders`), for V8's
 * regular expressions. Null: one of them is more than a name, or they are many or long.
 */
export function namePatterns(patterns: readonly string[], ignoresCase: boolean): readonly RegExp[] | null {
  const areNames = patterns.every((pattern) => pattern.length <= CHARACTERS_MAX && NAME.test(pattern))
  if (patterns.length > NAMES_MAX || !areNames) return null
  return patterns.map((pattern) => new RegExp(`^${source(pattern, ignoresCase)}$`, 'u'))
}

/** The flag `i` would also exchange letters of ASCII with others: K with the Kelvin sign. */
function source(pattern: string, ignoresCase: boolean): string {
  return pattern.replaceAll(/\\?\.|[a-z]/gi, (part) => {
    if (part === '.') return ANY_BUT_LINE_END
    return ignoresCase && part.length === 1 ? `[${part.toLowerCase()}${part.toUpperCase()}]` : part
  })
}
