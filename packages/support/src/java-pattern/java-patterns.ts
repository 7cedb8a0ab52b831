import { RE2JS, RE2Set } from 're2js'
import { translatePattern } from './translate-pattern.ts'

export interface JavaPatternsOptions {
  /** Java's flag CASE_INSENSITIVE: letters of ASCII match in any case. */
  readonly ignoresCase?: boolean
}

/** Patterns with more characters or instructions would take seconds to compile or to match. */
export const CHARACTERS_MAX = 1_000_000
export const INSTRUCTIONS_MAX = 250_000

/**
 * Regular expressions in the syntax of Java, as users of Kafka Connect write them, matched by RE2: in time linear to the
 * text, whatever the patterns are. They are one automaton, so that 5,000 of them take as long as one.
 *
 *     new JavaPatterns(['db1\\.orders', 'db2\\..*'], { ignoresCase: true }).matches('DB2.t') // true
 */
export class JavaPatterns {
  readonly #set = new RE2Set(RE2Set.ANCHOR_BOTH)

  /** @throws SyntaxError of a pattern that Java refuses, that uses what RE2 lacks, or that is too large */
  constructor(patterns: readonly string[], { ignoresCase = false }: JavaPatternsOptions = {}) {
    const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
    if (length > CHARACTERS_MAX) throw new SyntaxError(`${length} characters are more than ${CHARACTERS_MAX}`)
    let instructions = 0
    for (const pattern of patterns) {
      const translated = translatePattern(pattern, { ignoresCase, keepsGroups: false })
      instructions += compiledPattern(pattern, translated).programSize()
      if (instructions > INSTRUCTIONS_MAX) {
        throw new SyntaxError(`up to '${pattern}' it takes ${instructions} instructions, more than ${INSTRUCTIONS_MAX}`)
      }
      this.#set.add(translated)
    }
    this.#set.compile()
  }

  /** Whether one of the patterns matches the whole text. */
  matches(text: string): boolean {
    return this.#set.match(text).length > 0
  }

  /** The numbers of the patterns that match the whole text, in ascending order. */
  matching(text: string): readonly number[] {
    return this.#set.match(text)
  }
}

/** @throws SyntaxError when the translated pattern is too large */
export function compiledPattern(pattern: string, translated: string): RE2JS {
  try {
    return RE2JS.compile(translated)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw new SyntaxError(`'${pattern}' is not supported: ${reason}`, { cause: error })
  }
}
