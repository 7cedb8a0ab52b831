import { JavaPattern, type JavaReplacement } from '@tributary/support'
import type { Scope } from './scope.ts'

/** A regular expression whose matches are counted: they take linear time, but a long text times a large pattern. */
export class TextPattern {
  readonly #pattern: JavaPattern
  readonly #costPerCharacter: number

  /** @throws SyntaxError */
  constructor(source: string, ignoresCase = false) {
    this.#pattern = new JavaPattern(source, { ignoresCase })
    this.#costPerCharacter = Math.max(1, this.#pattern.size / 2)
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
