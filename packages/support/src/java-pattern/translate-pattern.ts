import { type CaseMode, NESTING_MAX, translateCharacter, translateClass, translateSet } from './character-class.ts'
import { complement, writeRanges } from './code-points.ts'
import { readEscape } from './pattern-escape.ts'
import { PatternReader } from './pattern-reader.ts'
import { LINE_TERMINATORS } from './predefined-classes.ts'

interface Flags {
  readonly ignoresCase: boolean
  readonly foldsUnicode: boolean
  readonly dotMatchesAll: boolean
}

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y
const ANY_BUT_LINE_END = `[${writeRanges(complement(LINE_TERMINATORS))}]`
const LINE_BREAK = String.raw`(?:\r\n|[${writeRanges(LINE_TERMINATORS)}\x{b}\x{c}])`

export interface TranslationOptions {
  /** Java's flag CASE_INSENSITIVE. */
  readonly ignoresCase: boolean
  /** Groups capture, with their names. A set of patterns cannot use captures, which cost time. */
  readonly keepsGroups: boolean
}

/**
 * Translates a regular expression of Java (javadoc of java.util.regex.Pattern, Java 17) that is matched against a whole
 * text into the syntax of RE2 (github.com/google/re2/wiki/Syntax). Three rare differences remain: `\b` knows letters of
 * ASCII only (as Java since 19), `$` and `\Z` do not match before a line terminator at the end, and with `(?iu)` the
 * Turkish i's match themselves only.
 *
 * @throws SyntaxError of a pattern that Java refuses, and of what RE2 cannot match in linear time or names differently:
 *   look-around, back references, possessive quantifiers, atomic groups, intersections of classes, some `\p` classes
 */
export function translatePattern(pattern: string, { ignoresCase, keepsGroups }: TranslationOptions): string {
  const translator = new Translator(new PatternReader(pattern), keepsGroups)
  return translator.translate({ ignoresCase, foldsUnicode: false, dotMatchesAll: false })
}

class Translator {
  readonly #reader: PatternReader
  readonly #keepsGroups: boolean
  readonly #names = new Set<string>()
  #depth = 0

  constructor(reader: PatternReader, keepsGroups: boolean) {
    this.#reader = reader
    this.#keepsGroups = keepsGroups
  }

  translate(flags: Flags): string {
    const translated = this.#alternatives(flags)
    if (!this.#reader.isDone) throw this.#reader.error('A ) without its beginning (')
    return translated
  }

  /** Up to the end of the pattern or of the group. Flags that a group sets inside apply up to its end. */
  #alternatives(outer: Flags): string {
    let flags = outer
    let translated = ''
    while (!this.#reader.isDone && !this.#reader.startsWith(')')) {
      const set = this.#reader.match(/\(\?([A-Za-z]*)(?:-([A-Za-z]*))?\)/y)
      if (set === null) translated += this.#reader.skip('|') ? '|' : this.#repeated(flags)
      else flags = this.#changed(flags, set[1], set[2])
    }
    return translated
  }

  #changed(flags: Flags, on = '', off = ''): Flags {
    const unsupported = /[^isu]/.exec(on + off)
    if (unsupported !== null) throw this.#reader.error(`The flag ${unsupported[0]}, which is not supported,`)
    const value = (letter: string, before: boolean) => (before || on.includes(letter)) && !off.includes(letter)
    return {
      ignoresCase: value('i', flags.ignoresCase),
      foldsUnicode: value('u', flags.foldsUnicode),
      dotMatchesAll: value('s', flags.dotMatchesAll),
    }
  }

  #repeated(flags: Flags): string {
    const atom = this.#atom(flags)
    const [quantifier = ''] = this.#reader.match(QUANTIFIER) ?? []
    if (quantifier === '') return atom
    if (this.#reader.startsWith('+')) throw this.#reader.error('A possessive quantifier, which is not supported,')
    return `(?:${atom})${quantifier}`
  }

  #atom(flags: Flags): string {
    const reader = this.#reader
    if (reader.skip(String.raw`\Q`)) return this.#quoted(flags)
    if (reader.skip('\\')) return this.#escape(flags)
    if (reader.skip('[')) return translateClass(reader, modeOf(flags))
    if (reader.skip('(')) return this.#group(flags)
    if (reader.skip('.')) return flags.dotMatchesAll ? '(?s:.)' : ANY_BUT_LINE_END
    if (reader.skip('^')) return String.raw`\A`
    if (reader.skip('$')) return String.raw`\z`
    // Java repeats an empty text where nothing precedes a number in braces.
    if (reader.match(/\{\d+(?:,\d*)?\}/y) !== null) throw reader.error('A second quantifier, which is not supported,')
    const character = reader.next()
    if (/[*+?{]/.test(character)) throw reader.error(`A ${character} with nothing to repeat`)
    return translateCharacter(reader, character.codePointAt(0) ?? 0, modeOf(flags))
  }

  /** Java repeats only the last character of a quotation. */
  #quoted(flags: Flags): string {
    let translated = ''
    for (const character of this.#reader.upTo(String.raw`\E`)) {
      translated += translateCharacter(this.#reader, character.codePointAt(0) ?? 0, modeOf(flags))
    }
    if (this.#reader.match(/(?=[*+?{])/y) === null) return translated
    throw this.#reader.error(String.raw`A quantifier after \E, which is not supported,`)
  }

  #escape(flags: Flags): string {
    const escape = readEscape(this.#reader)
    switch (escape.tag) {
      case 'character':
        return translateCharacter(this.#reader, escape.codePoint, modeOf(flags))
      case 'ranges':
      case 'property':
        return translateSet(this.#reader, escape, modeOf(flags))
      case 'letter':
        return this.#boundary(escape.letter)
    }
  }

  #boundary(letter: string): string {
    switch (letter) {
      case 'A':
      case 'z':
      case 'b':
      case 'B':
        return `\\${letter}`
      case 'Z':
        return String.raw`\z`
      case 'R':
        return LINE_BREAK
      default:
        throw this.#reader.error(`\\${letter}, which is not supported,`)
    }
  }

  #group(outer: Flags): string {
    this.#depth += 1
    if (this.#depth > NESTING_MAX) throw this.#reader.error(`Groups nested more than ${NESTING_MAX} deep`)
    const { flags, opening } = this.#openGroup(outer)
    const content = this.#alternatives(flags)
    this.#depth -= 1
    if (!this.#reader.skip(')')) throw this.#reader.error('A group without its end )')
    return `${opening}${content})`
  }

  #openGroup(flags: Flags): OpenGroup {
    const reader = this.#reader
    if (!reader.startsWith('?')) return { flags, opening: this.#keepsGroups ? '(' : '(?:' }
    const refused = REFUSED_GROUPS.find(([opening]) => reader.skip(opening))
    if (refused !== undefined) throw reader.error(`${refused[1]}, which is not supported,`)
    const name = reader.match(/\?<([A-Za-z][A-Za-z0-9]*)>/y)?.[1]
    if (name !== undefined) {
      if (this.#names.has(name)) throw reader.error(`A second group ${name}`)
      this.#names.add(name)
      return { flags, opening: this.#keepsGroups ? `(?P<${name}>` : '(?:' }
    }
    const set = reader.match(/\?([A-Za-z]*)(?:-([A-Za-z]*))?:/y)
    if (set === null) throw reader.error('An unknown kind of group')
    return { flags: this.#changed(flags, set[1], set[2]), opening: '(?:' }
  }
}

interface OpenGroup {
  readonly flags: Flags
  /** Its beginning in RE2's syntax. */
  readonly opening: string
}

const REFUSED_GROUPS: readonly (readonly [opening: string, name: string])[] = [
  ['?=', 'A look-ahead (?='],
  ['?!', 'A negative look-ahead (?!'],
  ['?<=', 'A look-behind (?<='],
  ['?<!', 'A negative look-behind (?<!'],
  ['?>', 'An atomic group (?>'],
]

function modeOf({ ignoresCase, foldsUnicode }: Flags): CaseMode {
  if (!ignoresCase) return 'exact'
  return foldsUnicode ? 'unicode' : 'ascii'
}
