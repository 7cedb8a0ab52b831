import { VARIABLES } from './tree.ts'

/** Words of the two languages that are no names of values. */
export const STATEMENTS: ReadonlySet<string> = new Set(
  `if else switch for while return throw try def var let const function class import new typeof instanceof as assert
  this super eval`.split(/\s+/),
)

const CHOOSE = 'Write condition ? yes : no'
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['if', CHOOSE],
  ['else', CHOOSE],
  ['switch', CHOOSE],
  ['return', 'Write the expression alone'],
  ...['def', 'var', 'let', 'const'].map((each) => [each, 'Write the value where it is used'] as const),
  ['typeof', 'Compare with null'],
  ['instanceof', 'Compare with null, or remove it: the schema decides the type'],
  ['as', 'Remove the conversion: comparisons of numbers do not depend on their types'],
  ['new', 'Write a literal'],
  ['and', 'Write &&'],
  ['or', 'Write ||'],
  ['not', 'Write !'],
  ['is', 'Write =='],
  ['None', 'Write null'],
  ['True', 'Write true'],
  ['False', 'Write false'],
  ['record', 'Write value, key, header or topic'],
  ...['after', 'before', 'op', 'source'].map((each) => [each, `Write value.${each}`] as const),
  ...['Objects', 'JSON', 'Math', 'String', 'Number', 'Integer', 'Long', 'java', 'parseInt'].map(
    (each) => [each, 'Classes and functions are not supported; values have operators and methods'] as const,
  ),
])

/** What to write instead of a name that no value has. */
export function remedyForName(name: string): string {
  return REMEDIES.get(name) ?? `The variables are ${VARIABLES.join(', ')}; quote a text`
}
