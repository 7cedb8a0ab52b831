import type { RE2JS, RE2Set } from 're2js'
import { loadRe2 } from './load-re2.ts'
import { namePatterns } from './name-pattern.ts'
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
  readonly #names: readonly RegExp[] | null
  /** Null: all patterns are names. */
  readonly #set: RE2Set | null

  /** @throws SyntaxError of a pattern that Java refuses, that uses what RE2 lacks, or that is too large */
  constructor(patterns: readonly string[], { ignoresCase = false }: JavaPatternsOptions = {}) {
    const length = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
    if (length > CHARACTERS_MAX) throw new SyntaxError(`${length} characters are more than ${CHARACTERS_MAX}`)
    this.#names = namePatterns(patterns, ignoresCase)
    this.#set = this.#names === null ? compiledSet(patterns, ignoresCase) : null
  }

  /** Whether one of the patterns matches the whole text. */
  matches(text: string): boolean {
    return this.#names?.some((name) => name.test(text)) ?? this.matching(text).length > 0
  }

  /** The numbers of the patterns that match the whole text, in ascending order. */
  matching(text: string): readonly number[] {
    if (this.#set !== null) return this.#set.match(text)
    return (this.#names ?? []).flatMap((name, number) => (name.test(text) ? [number] : []))
  }
}

function compiledSet(patterns: readonly string[], ignoresCase: boolean): RE2Set {
  const { RE2Set } = loadRe2()
  const set = new RE2Set(RE2Set.ANCHOR_BOTH)
  let instructions = 0
  for (const pattern of patterns) {
    const translated = translatePattern(pattern, { ignoresCase, keepsGroups: false })
    instructions += compiledPattern(pattern, translated).programSize()
    if (instructions > INSTRUCTIONS_MAX) {
      throw new SyntaxError(`up to '${pattern}' it takes ${instructions} instructions, more than ${INSTRUCTIONS_MAX}`)
    }
    set.add(translated)
  }
  set.compile()
  return set
}

/** @throws SyntaxError when the translated pattern is too large */
export function compiledPattern(pattern: string, translated: string): RE2JS {
  try {
    return loadRe2().RE2JS.compile(translated)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw new SyntaxError(`'${pattern}' is not supported: ${reason}`, { cause: error })
  }
}
