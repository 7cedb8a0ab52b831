import type { Language } from './language.ts'

/** Operators of both languages. */
const COMMON = ['?.', '==', '!=', '<=', '>=', '&&', '||', ...'( ) [ ] < > ! + - * / % ? : , .'.split(' ')]
const OPERATORS: Readonly<Record<Language, ReadonlySet<string>>> = {
  groovy: new Set([...COMMON, '==~', '!in', '=~', '?[', '?:']),
  javascript: new Set([...COMMON, '===', '!==', '??']),
}

const ONE_EXPRESSION = 'Write one expression; choose between two with `condition ? yes : no`'
const NO_BLOCKS = 'Closures and blocks are not supported. Write one expression'
const NO_BITS = 'Write && for "and" and || for "or"'
/** Operators that are refused, with what to write instead. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['=', 'An expression changes nothing. Write == to compare'],
  ...['+=', '-=', '*=', '/=', '%=', '++', '--'].map((each) => [each, 'An expression changes nothing'] as const),
  ...['&', '|', '^', '~', '<<', '>>', '>>>'].map((each) => [each, NO_BITS] as const),
  ['**', 'Write the multiplication'],
  ['=>', 'Functions are not supported. Write the comparison for each case'],
  ['->', 'Closures are not supported. Write the comparison for each case'],
  ['..', 'Ranges are not supported. Write two comparisons, or substring(start, end)'],
  ['<=>', 'Write one of <, <=, ==, >=, >'],
  ['===', 'Write =='],
  ['!==', 'Write !='],
  ['??', 'Write ?:'],
  ['?:', 'Write ?? or ||'],
  ['=~', 'Write /pattern/.test(text)'],
  ['==~', 'Write /^pattern$/.test(text)'],
  ['*.', 'Write the access for each element'],
  ['::', 'References to methods are not supported'],
  ['{', NO_BLOCKS],
  ['}', NO_BLOCKS],
  [';', ONE_EXPRESSION],
  ['@', 'Annotations are not supported'],
  ['#', 'Write a comment with //'],
])

const LENGTH_MAX = 3

/** The longest operator that the source has at a place, with its remedy when it is refused; null: there is none. */
export function operatorAt(
  source: string,
  at: number,
  language: Language,
): { readonly operator: string; readonly remedy: string | null } | null {
  for (let length = LENGTH_MAX; length > 0; length--) {
    const operator = source.slice(at, at + length)
    if (operator === '?.' && language === 'javascript' && /\d/.test(source.charAt(at + 2))) continue
    if (operator === '!in' && /[\p{L}\p{N}_$]/u.test(source.charAt(at + 3))) continue
    if (OPERATORS[language].has(operator)) return { operator, remedy: null }
    const remedy = REFUSED.get(operator)
    if (remedy !== undefined) return { operator, remedy }
  }
  return null
}
