import type { Kind } from './kind.ts'
import type { Scope } from './scope.ts'
import type { Patterns } from './text-pattern.ts'
import type { Value } from './values.ts'

/** A method of one kind of value. */
export type Method = Partial<Readonly<Record<Kind, Implementation>>>

export type Implementation =
  | {
      readonly tag: 'plain'
      readonly argsMin: number
      readonly argsMax: number
      call(receiver: Value, args: readonly Value[], scope: Scope): Value
    }
  | {
      /** Its arguments are literal texts, which are compiled once: patterns must not depend on data. */
      readonly tag: 'literal'
      readonly argsMin: number
      readonly argsMax: number
      /** @throws SyntaxError with the reason for the refusal */
      bind(args: readonly string[], patterns: Patterns): (receiver: Value, scope: Scope) => Value
    }

export function plain(
  argsMin: number,
  argsMax: number,
  call: (receiver: Value, args: readonly Value[], scope: Scope) => Value,
): Implementation {
  return { tag: 'plain', argsMin, argsMax, call }
}

export function literal(
  args: number,
  bind: (args: readonly string[], patterns: Patterns) => (receiver: Value, scope: Scope) => Value,
): Implementation {
  return { tag: 'literal', argsMin: args, argsMax: args, bind }
}

/** The methods of several kinds of values, by name. */
export function methodTable(
  byKind: Partial<Record<Kind, Readonly<Record<string, Implementation>>>>,
): ReadonlyMap<string, Method> {
  const table = new Map<string, Partial<Record<Kind, Implementation>>>()
  for (const [kind, methods] of Object.entries(byKind)) {
    for (const [name, implementation] of Object.entries(methods)) {
      const method = table.get(name) ?? {}
      // A key of the argument.
      method[kind as Kind] = implementation
      table.set(name, method)
    }
  }
  return table
}
