import { JavaPattern, type JavaReplacement } from '@tributary/support'
import { INSTRUCTIONS_MAX } from './limits.ts'
import type { Scope } from './scope.ts'

/** A regular expression whose matches are counted: they take linear time, but a long text times a large pattern. */
export class TextPattern {
  readonly #pattern: JavaPattern
  readonly #costPerCharacter: number

  /** @throws SyntaxError */
  constructor(source: string, ignoresCase: boolean) {
    this.#pattern = new JavaPattern(source, { ignoresCase })
    this.#costPerCharacter = Math.max(1, this.#pattern.size / 2)
  }

  get size(): number {
    return this.#pattern.size
  }

  matches(text: string, scope: Scope): boolean {
    scope.charge((text.length + 1) * this.#costPerCharacter)
    return this.#pattern.matches(text)
  }

  isFoundIn(text: string, scope: Scope): boolean {
    scope.charge((text.length + 1) * this.#costPerCharacter)
    return this.#pattern.isFoundIn(text)
  }

  /**
   * Returns a function that replaces the first match, or all, in Java's syntax of replacements.
   *
   * @throws SyntaxError
   */
  replacer(replacement: string, isForAll: boolean): (text: string, scope: Scope) => string {
    const compiled: JavaReplacement = this.#pattern.replacement(replacement)
    return (text, scope) => {
      // At most one match per character, and each inserts at most the text once per reference.
      scope.charge((text.length + 1) * Math.max(this.#costPerCharacter, replacement.length + 1))
      return isForAll ? compiled.replaceAll(text) : compiled.replaceFirst(text)
    }
  }
}

/** Compiles the patterns of one expression, whose sizes have a limit together. */
export class Patterns {
  #instructionsLeft = INSTRUCTIONS_MAX

  /** @throws SyntaxError */
  compile(source: string, ignoresCase = false): TextPattern {
    const pattern = new TextPattern(source, ignoresCase)
    this.#instructionsLeft -= pattern.size
    if (this.#instructionsLeft >= 0) return pattern
    throw new SyntaxError(
      `the patterns of the expression take more than ${INSTRUCTIONS_MAX} instructions. Shorten them`,
    )
  }
}
