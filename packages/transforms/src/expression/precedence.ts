import type { Language } from './language.ts'
import type { BinaryOperator, LogicalOperator } from './tree.ts'

type InfixOperator = BinaryOperator | Exclude<LogicalOperator, '?:'>

/** From the loosest to the tightest. All are left-associative. */
const LEVELS: Readonly<Record<Language, readonly (readonly InfixOperator[])[]>> = {
  groovy: [
    ['||'],
    ['&&'],
    ['=~', '==~'],
    ['==', '!='],
    ['<', '<=', '>', '>=', 'in', '!in'],
    ['+', '-'],
    ['*', '/', '%'],
  ],
  javascript: [
    ['||', '??'],
    ['&&'],
    ['==', '!=', '===', '!=='],
    ['<', '<=', '>', '>=', 'in'],
    ['+', '-'],
    ['*', '/', '%'],
  ],
}

export interface Infix {
  readonly operator: InfixOperator
  /** The greater, the tighter. */
  readonly level: number
}

const byLanguage = {
  groovy: infixesOf('groovy'),
  javascript: infixesOf('javascript'),
}

function infixesOf(language: Language): ReadonlyMap<string, Infix> {
  return new Map(
    LEVELS[language].flatMap((operators, level) =>
      operators.map((operator) => [operator, { operator, level }] as const),
    ),
  )
}

export function infixOf(text: string, language: Language): Infix | null {
  return byLanguage[language].get(text) ?? null
}

export function isLogical(operator: InfixOperator): operator is Exclude<LogicalOperator, '?:'> {
  return operator === '||' || operator === '&&' || operator === '??'
}
