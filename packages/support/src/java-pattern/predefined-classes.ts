import { complement, type CodePointRange } from './code-points.ts'

const DIGIT: readonly CodePointRange[] = [[0x30, 0x39]]
const LOWER: readonly CodePointRange[] = [[0x61, 0x7a]]
const UPPER: readonly CodePointRange[] = [[0x41, 0x5a]]
const WORD: readonly CodePointRange[] = [...DIGIT, ...UPPER, [0x5f, 0x5f], ...LOWER]
const SPACE: readonly CodePointRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
]
const VERTICAL_SPACE: readonly CodePointRange[] = [
  [0x0a, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
]
const HORIZONTAL_SPACE: readonly CodePointRange[] = [
  [0x09, 0x09],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]
const PUNCTUATION: readonly CodePointRange[] = [
  [0x21, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7e],
]

/** `\d`, `\S` and so on, by the letter after the backslash. Without UNICODE_CHARACTER_CLASS they are ASCII. */
export const PREDEFINED_CLASSES: ReadonlyMap<string, readonly CodePointRange[]> = new Map([
  ['d', DIGIT],
  ['D', complement(DIGIT)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACE],
  ['S', complement(SPACE)],
  ['v', VERTICAL_SPACE],
  ['V', complement(VERTICAL_SPACE)],
  ['h', HORIZONTAL_SPACE],
  ['H', complement(HORIZONTAL_SPACE)],
])

/** What a dot does not match: the line terminators. */
export const LINE_TERMINATORS: readonly CodePointRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
]

/** `\p{Alpha}` and so on: the classes of POSIX, which are ASCII. */
export const POSIX_CLASSES: ReadonlyMap<string, readonly CodePointRange[]> = new Map([
  ['Lower', LOWER],
  ['Upper', UPPER],
  ['ASCII', [[0, 0x7f]]],
  ['Alpha', [...UPPER, ...LOWER]],
  ['Digit', DIGIT],
  ['Alnum', [...DIGIT, ...UPPER, ...LOWER]],
  ['Punct', PUNCTUATION],
  ['Graph', [[0x21, 0x7e]]],
  ['Print', [[0x20, 0x7e]]],
  [
    'Blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    'Cntrl',
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['XDigit', [...DIGIT, [0x41, 0x46], [0x61, 0x66]]],
  ['Space', SPACE],
])

/** The general categories of Unicode, which Java and RE2 name alike. */
const GENERAL_CATEGORY = /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/

/**
 * The category or script of `\p{…}` as RE2 names it; null for what RE2 lacks or names differently: blocks, binary
 * properties and the methods of java.lang.Character.
 */
export function unicodeProperty(name: string): string | null {
  const category = /^(?:Is|gc=|general_category=)?(.*)$/.exec(name)?.[1] ?? ''
  if (GENERAL_CATEGORY.test(category)) return category
  return /^(?:Is|sc=|script=)([A-Z][a-z]+(?:_[A-Z][a-z]+)*)$/.exec(name)?.[1] ?? null
}
