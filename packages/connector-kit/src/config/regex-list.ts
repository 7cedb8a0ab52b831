/**
 * A comma-separated list of regular expressions (`database.include.list` and its kin): each is matched against the whole name,
 * in any case; a comma inside one is written `\,`. The syntax is Java's in the original; what JavaScript spells otherwise is
 * refused with its own message.
 */
export class RegexList {
  readonly patterns: readonly RegExp[]

  /** @throws SyntaxError of a pattern that is no regular expression */
  constructor(list: string) {
    this.patterns = list
      .split(/(?<!\\),/)
      .map((pattern) => pattern.trim().replaceAll(String.raw`\,`, ','))
      .filter((pattern) => pattern !== '')
      .map((pattern) => new RegExp(`^(?:${pattern})$`, 'iu'))
  }

  get isEmpty(): boolean {
    return this.patterns.length === 0
  }

  matches(name: string): boolean {
    return this.patterns.some((pattern) => pattern.test(name))
  }
}

/** Why a text is no such list, or null. */
export function regexListRefusal(list: string): string | null {
  try {
    void new RegexList(list)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `A comma-separated list of valid regular expressions is expected, but ${reason}`
  }
}
