import { type CodePointRange, complement, withBothAsciiCases, writeRanges } from './code-points.ts'
import { type PatternEscape, readEscape } from './pattern-escape.ts'
import type { PatternReader } from './pattern-reader.ts'

/** How a pattern compares letters: Java's CASE_INSENSITIVE folds ASCII only, with UNICODE_CASE all letters. */
export type CaseMode = 'exact' | 'ascii' | 'unicode'

type PropertyEscape = PatternEscape & { readonly tag: 'property' }
type SetEscape = PropertyEscape | (PatternEscape & { readonly tag: 'ranges' })

/** Keeps the recursion far from the end of the stack. */
export const NESTING_MAX = 200

/** Translates the character class whose `[` has been read, up to its `]`. */
export function translateClass(reader: PatternReader, mode: CaseMode): string {
  const translator = new CharacterClass(reader, mode)
  const isNegated = reader.skip('^')
  translator.readUpToEnd(isNegated, 1)
  return translator.write(isNegated)
}

/** Translates an escape outside of classes that matches a set of characters. */
export function translateSet(reader: PatternReader, escape: SetEscape, mode: CaseMode): string {
  const translator = new CharacterClass(reader, mode)
  translator.addEscape(escape)
  return translator.write(false)
}

/** Translates one character outside of classes. */
export function translateCharacter(reader: PatternReader, codePoint: number, mode: CaseMode): string {
  const character = String.fromCodePoint(codePoint)
  if (/[0-9_]/.test(character) || (mode === 'exact' && /[A-Za-z]/.test(character))) return character
  const translator = new CharacterClass(reader, mode)
  translator.addEscape({ tag: 'character', codePoint })
  return translator.write(false)
}

class CharacterClass {
  readonly #reader: PatternReader
  readonly #mode: CaseMode
  readonly #ranges: CodePointRange[] = []
  /** Parts that RE2 reads by itself, such as `\p{L}`. */
  #properties = ''

  constructor(reader: PatternReader, mode: CaseMode) {
    this.#reader = reader
    this.#mode = mode
  }

  readUpToEnd(isNegated: boolean, depth: number): void {
    const reader = this.#reader
    if (depth > NESTING_MAX) throw reader.error(`Classes nested more than ${NESTING_MAX} deep`)
    let isFirst = true
    while (isFirst || !reader.skip(']')) {
      if (reader.isDone) throw reader.error('A character class without its end ]')
      if (reader.startsWith('&&')) throw reader.error('An intersection of classes (&&), which is not supported,')
      if (reader.skip('[')) {
        // Whether a negation applies to the inner class, too, differs between versions of Java.
        if (isNegated || reader.startsWith('^'))
          throw reader.error('A class in a class with ^, which is not supported,')
        this.readUpToEnd(false, depth + 1)
      } else if (reader.skip(String.raw`\Q`)) this.#addQuoted(reader.upTo(String.raw`\E`))
      else this.#readRange()
      isFirst = false
    }
  }

  addEscape(escape: PatternEscape): void {
    switch (escape.tag) {
      case 'character':
        this.#ranges.push([escape.codePoint, escape.codePoint])
        return
      case 'ranges':
        this.#ranges.push(...this.#rangesOf(escape.ranges, escape.isNegated))
        return
      case 'property':
        this.#properties += this.#property(escape)
        return
      case 'letter':
        throw this.#reader.error(`\\${escape.letter}, which has no meaning in a class,`)
    }
  }

  write(isNegated: boolean): string {
    const ranges = this.#mode === 'ascii' ? withBothAsciiCases(this.#ranges) : this.#ranges
    const text = `[${isNegated ? '^' : ''}${writeRanges(ranges)}${this.#properties}]`
    return this.#mode === 'unicode' ? `(?i:${text})` : text
  }

  #addQuoted(text: string): void {
    for (const character of text) this.addEscape({ tag: 'character', codePoint: character.codePointAt(0) ?? 0 })
  }

  /** One character, an escape, or two characters with a minus between them. */
  #readRange(): void {
    const first = this.#readMember()
    if (first.tag !== 'character' || this.#reader.match(/-(?![\][]|&&)/y) === null) {
      this.addEscape(first)
      return
    }
    const last = this.#readMember()
    const isRange = last.tag === 'character' && last.codePoint >= first.codePoint
    if (!isRange) throw this.#reader.error('An illegal range of characters')
    this.#ranges.push([first.codePoint, last.codePoint])
  }

  #readMember(): PatternEscape {
    if (this.#reader.skip('\\')) return readEscape(this.#reader)
    return { tag: 'character', codePoint: this.#reader.next().codePointAt(0) ?? 0 }
  }

  #rangesOf(ranges: readonly CodePointRange[], isNegated: boolean): readonly CodePointRange[] {
    if (!isNegated) return ranges
    return complement(this.#mode === 'exact' ? ranges : withBothAsciiCases(ranges))
  }

  /** Where case does not matter, each of the classes of cased letters matches the letters of the others. */
  #property({ name, isNegated }: PropertyEscape): string {
    const isCased = /^L[ltu]$/.test(name)
    if (this.#mode === 'exact' || !isCased) return `\\${isNegated ? 'P' : 'p'}{${name}}`
    if (isNegated) throw this.#reader.error(`\\P{${name}} in any case, which is not supported,`)
    return String.raw`\p{Lu}\p{Ll}\p{Lt}`
  }
}
