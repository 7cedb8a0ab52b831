import type { Language } from './language.ts'
import type { Method } from './method.ts'
import type { Scope } from './scope.ts'
import type { Patterns } from './text-pattern.ts'
import type { BinaryOperator, UnaryOperator } from './tree.ts'
import type { Value } from './values.ts'

/** Works on the values of both operands. */
export type BinaryOperation = (left: Value, right: Value, scope: Scope) => Value

/** What differs between the languages when an expression is evaluated. Operations throw EvaluationError. */
export interface Dialect {
  readonly language: Language
  /** The value of a safe access to nothing, and of a field that a struct does not have where that is no error. */
  readonly nothing: null | undefined
  isTrue(value: Value): boolean
  unary(operator: Exclude<UnaryOperator, '!'>, value: Value): Value
  /** Operators with a pattern are compiled elsewhere. */
  binary(operator: Exclude<BinaryOperator, '==~' | '=~'>): BinaryOperation
  /** Joins the parts of a text with inserted values. */
  join(parts: readonly Value[], scope: Scope): Value
  /** The text that a value has where a text is needed. */
  textOf(value: Value): string
  /** The field of a struct that its schema does not have. */
  missingField(name: string): Value
  /** A property of anything but a struct; not of null. */
  property(receiver: Value, name: string): Value
  /** An element that brackets name; not of null, and not the field of a struct. */
  element(receiver: Value, index: Value): Value
  /** A method call on null. */
  callOnNothing(name: string, args: readonly Value[]): Value
  readonly methods: ReadonlyMap<string, Method>
  /** Methods that are not supported, with what to write instead. */
  readonly remedies: ReadonlyMap<string, string>
}

/** What an expression is compiled with. */
export interface CompileContext extends Dialect {
  readonly patterns: Patterns
}
