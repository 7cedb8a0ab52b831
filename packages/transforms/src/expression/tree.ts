import type { Value } from './values.ts'

/** A node of a parsed expression. `at`: index of its operator or first character; `depth`: levels, itself included. */
export type Node = NodeOf & { readonly at: number; readonly depth: number }

export type NodeOf =
  | { readonly tag: 'literal'; readonly value: Value }
  | { readonly tag: 'variable'; readonly name: Variable }
  | { readonly tag: 'text'; readonly parts: readonly Node[] }
  | { readonly tag: 'list'; readonly items: readonly Node[] }
  | { readonly tag: 'pattern'; readonly source: string; readonly ignoresCase: boolean }
  | { readonly tag: 'chain'; readonly base: Node; readonly steps: readonly Step[] }
  | { readonly tag: 'unary'; readonly operator: UnaryOperator; readonly operand: Node }
  | { readonly tag: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly tag: 'logical'; readonly operator: LogicalOperator; readonly operands: readonly Node[] }
  | { readonly tag: 'conditional'; readonly test: Node; readonly yes: Node; readonly no: Node }

/** An access to a part of a value. `isSafe`: `?.`. */
export type Step = { readonly at: number; readonly isSafe: boolean } & (
  | { readonly tag: 'property'; readonly name: string }
  | { readonly tag: 'index'; readonly index: Node }
  | { readonly tag: 'call'; readonly name: string; readonly args: readonly Node[] }
)

export const VARIABLES = ['key', 'value', 'keySchema', 'valueSchema', 'topic', 'header', 'headers'] as const
export type Variable = (typeof VARIABLES)[number]

export type UnaryOperator = '!' | '-' | '+'
/** `??` is JavaScript's, `?:` Groovy's. */
export type LogicalOperator = '||' | '&&' | '??' | '?:'
export type BinaryOperator = ComparisonOperator | ArithmeticOperator
export type ComparisonOperator = '==' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | 'in' | '!in' | '==~' | '=~'
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'
