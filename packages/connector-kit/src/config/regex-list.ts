import { JavaPatterns } from '@tributary/support'

/**
 * A comma-separated list of regular expressions (`database.include.list`, `table.exclude.list` …). Each is matched
 * against the whole name, in any case; a comma inside a pattern is written `\,`. The syntax is Java's.
 */
export class RegexList {
  /** The patterns as they were written. */
  readonly entries: readonly string[]
  readonly #patterns: JavaPatterns

  /** @throws SyntaxError of a pattern that is not a regular expression, or that cannot be matched in linear time */
  constructor(list: string) {
    this.entries = split(list)
    const patterns = this.entries.map((entry) => entry.replaceAll(String.raw`\,`, ','))
    this.#patterns = new JavaPatterns(patterns, { ignoresCase: true })
  }

  get isEmpty(): boolean {
    return this.entries.length === 0
  }

  matches(name: string): boolean {
    return this.#patterns.matches(name)
  }

  /** The numbers of the entries that match the name, in ascending order. */
  matching(name: string): readonly number[] {
    return this.#patterns.matching(name)
  }
}

/** A backslash belongs to the character after it, so that an escaped comma does not separate. */
function split(list: string): readonly string[] {
  const parts = list.match(/(?:\\.|[^\\,]|\\$)+/gsu) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** Why a text is not such a list; null when it is one. */
export function regexListRefusal(list: string): string | null {
  try {
    void new RegexList(list)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `A comma-separated list of valid regular expressions is expected, but ${reason}`
  }
}
