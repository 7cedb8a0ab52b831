import type { RE2JS } from 're2js'
import { CHARACTERS_MAX, compiledPattern, INSTRUCTIONS_MAX, type JavaPatternsOptions } from './java-patterns.ts'
import { parseReplacement, type ReplacementPart } from './java-replacement.ts'
import { translatePattern } from './translate-pattern.ts'

/**
 * One regular expression in the syntax of Java with its groups, matched by RE2 in time linear to the text.
 *
 *     const route = new JavaPattern('shop\\.(.*)').replacement('all.$1')
 *     route.replaceFirst('shop.orders') // all.orders
 */
export class JavaPattern {
  readonly #compiled: RE2JS
  readonly #names: ReadonlySet<string>

  /** @throws SyntaxError of a pattern that Java refuses, that uses what RE2 lacks, or that is too large */
  constructor(pattern: string, { ignoresCase = false }: JavaPatternsOptions = {}) {
    if (pattern.length > CHARACTERS_MAX) {
      throw new SyntaxError(`${pattern.length} characters are more than ${CHARACTERS_MAX}`)
    }
    this.#compiled = compiledPattern(pattern, translatePattern(pattern, { ignoresCase, keepsGroups: true }))
    const size = this.#compiled.programSize()
    if (size > INSTRUCTIONS_MAX) throw new SyntaxError(`it takes ${size} instructions, more than ${INSTRUCTIONS_MAX}`)
    this.#names = new Set(Object.keys(this.#compiled.namedGroups()))
  }

  /** Number of instructions: the time of a match grows with it, and with the length of the text. */
  get size(): number {
    return this.#compiled.programSize()
  }

  /** Whether the pattern matches the whole text (Java's Matcher.matches). */
  matches(text: string): boolean {
    return this.#compiled.matcher(text).matches()
  }

  /** Whether the pattern matches some part of the text (Java's Matcher.find). */
  isFoundIn(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }

  /**
   * The groups of a match of the whole text: the text itself, then one per group of the pattern, null for a group that
   * takes no part in the match. Null: no match.
   */
  groups(text: string): readonly (string | null)[] | null {
    const matcher = this.#compiled.matcher(text)
    if (!matcher.matches()) return null
    return Array.from({ length: matcher.groupCount() + 1 }, (_, number) => matcher.group(number))
  }

  /** @throws SyntaxError for a replacement that Java refuses */
  replacement(text: string): JavaReplacement {
    return new JavaReplacement(this.#compiled, parseReplacement(text, this.#compiled.groupCount(), this.#names))
  }
}

/** A pattern with what replaces its matches. */
export class JavaReplacement {
  readonly #compiled: RE2JS
  readonly #parts: readonly ReplacementPart[]

  constructor(compiled: RE2JS, parts: readonly ReplacementPart[]) {
    this.#compiled = compiled
    this.#parts = parts
  }

  /** Java's Matcher.replaceFirst: the text with its first match replaced; the text itself without a match. */
  replaceFirst(text: string): string {
    return this.#replace(text, 1)
  }

  /** Java's Matcher.replaceAll. */
  replaceAll(text: string): string {
    return this.#replace(text, Infinity)
  }

  #replace(text: string, countMax: number): string {
    const matcher = this.#compiled.matcher(text)
    let replaced = ''
    let end = 0
    for (let count = 0; count < countMax && matcher.find(); count++) {
      replaced += text.slice(end, matcher.start())
      for (const part of this.#parts) replaced += typeof part === 'string' ? part : (matcher.group(part.group) ?? '')
      end = matcher.end()
    }
    return replaced + text.slice(end)
  }
}
