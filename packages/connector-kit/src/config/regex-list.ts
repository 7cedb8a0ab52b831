import { translateJavaRegex } from './java-regex.ts'

/**
 * A comma-separated list of regular expressions (`database.include.list`, `table.exclude.list` …). Each is matched
 * against the whole name, in any case; a comma inside a pattern is written `\,`. The syntax is Java's.
 */
export class RegexList {
  readonly patterns: readonly RegExp[]

  /** @throws SyntaxError of a pattern that is not a regular expression, or one that only Java accepts */
  constructor(list: string) {
    this.patterns = split(list).map((pattern) => new RegExp(`^(?:${translateJavaRegex(pattern)})$`, 'iu'))
  }

  get isEmpty(): boolean {
    return this.patterns.length === 0
  }

  matches(name: string): boolean {
    return this.patterns.some((pattern) => pattern.test(name))
  }
}

/** A backslash belongs to the character after it, so that an escaped comma does not separate. */
function split(list: string): readonly string[] {
  const parts = list.match(/(?:\\.|[^\\,]|\\$)+/gsu) ?? []
  return parts.map((part) => part.trim().replaceAll(String.raw`\,`, ',')).filter((part) => part !== '')
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
