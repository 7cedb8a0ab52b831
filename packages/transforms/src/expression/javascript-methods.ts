import { EvaluationError } from './expression-error.ts'
import { javaScriptText, strictlyEqual } from './javascript-operators.ts'
import { describeKind } from './kind.ts'
import { type Implementation, literal, type Method, methodTable, plain } from './method.ts'
import type { Scope } from './scope.ts'
import { fieldMethods, schemaMethods, structMethods } from './struct-methods.ts'
import type { JavaDate, Value } from './values.ts'

/** Values of the kind text are strings: JavaScript has no other texts. */
function ofText(
  argsMin: number,
  argsMax: number,
  call: (text: string, args: readonly Value[]) => Value,
): Implementation {
  return plain(argsMin, argsMax, (receiver, args, scope) =>
    charged(receiver as string, scope, (text) => call(text, args)),
  )
}

function charged(text: string, scope: Scope, call: (text: string) => Value): Value {
  scope.charge(text.length)
  const result = call(text)
  if (typeof result === 'string') scope.charge(result.length)
  return result
}

const toText = plain(0, 0, (receiver, _, scope) => charged(javaScriptText(receiver), scope, (text) => text))

const text: Readonly<Record<string, Implementation>> = {
  toString: toText,
  startsWith: ofText(1, 1, (self, [prefix]) => self.startsWith(javaScriptText(prefix))),
  endsWith: ofText(1, 1, (self, [suffix]) => self.endsWith(javaScriptText(suffix))),
  includes: ofText(1, 1, (self, [part]) => self.includes(javaScriptText(part))),
  indexOf: ofText(1, 1, (self, [part]) => self.indexOf(javaScriptText(part))),
  lastIndexOf: ofText(1, 1, (self, [part]) => self.lastIndexOf(javaScriptText(part))),
  toLowerCase: ofText(0, 0, (self) => self.toLowerCase()),
  toUpperCase: ofText(0, 0, (self) => self.toUpperCase()),
  trim: ofText(0, 0, (self) => self.trim()),
  concat: ofText(1, 1, (self, [other]) => self + javaScriptText(other)),
  charAt: ofText(1, 1, (self, [at]) => self.charAt(indexOf(at))),
  substring: ofText(1, 2, (self, [from, to]) =>
    self.substring(indexOf(from), to === undefined ? undefined : indexOf(to)),
  ),
  slice: ofText(1, 2, (self, [from, to]) => self.slice(indexOf(from), to === undefined ? undefined : indexOf(to))),
  replace: literal(2, ([part = '', replacement = '']) =>
    replacing(replacement, (self) => self.replace(part, replacement)),
  ),
  replaceAll: literal(2, ([part = '', replacement = '']) =>
    replacing(replacement, (self) => self.replaceAll(part, replacement)),
  ),
  split: literal(1, ([separator = '']) => (receiver, scope) => {
    const self = receiver as string
    scope.charge(self.length)
    return self.split(separator)
  }),
}

function replacing(replacement: string, replace: (self: string) => string): (receiver: Value, scope: Scope) => Value {
  return (receiver, scope) => {
    const self = receiver as string
    // At most one match per character, and $& inserts at most the text.
    scope.charge((self.length + 1) * (replacement.length + 1))
    return replace(self)
  }
}

function indexOf(value: Value): number {
  if (typeof value === 'number') return value
  throw new EvaluationError(`a number is expected instead of ${describeKind(value)}`)
}

/** JavaScript's includes finds NaN. */
function isSame(item: Value, wanted: Value): boolean {
  return Number.isNaN(item) ? Number.isNaN(wanted) : strictlyEqual(item, wanted)
}

const list: Readonly<Record<string, Implementation>> = {
  includes: plain(1, 1, (receiver, [wanted]) => (receiver as readonly Value[]).some((item) => isSame(item, wanted))),
  indexOf: plain(1, 1, (receiver, [wanted]) =>
    (receiver as readonly Value[]).findIndex((item) => strictlyEqual(item, wanted)),
  ),
}

type ValueMap = ReadonlyMap<Value, Value>

export const javaScriptMethods: ReadonlyMap<string, Method> = methodTable({
  text,
  number: { toString: toText },
  boolean: { toString: toText },
  list,
  map: {
    get: plain(1, 1, (receiver, [key]) => (receiver as ValueMap).get(key) ?? null),
    containsKey: plain(1, 1, (receiver, [key]) => (receiver as ValueMap).has(key)),
  },
  struct: structMethods('javascript'),
  schema: schemaMethods,
  field: fieldMethods,
  date: { getTime: plain(0, 0, (receiver) => (receiver as JavaDate).milliseconds) },
})

export const javaScriptRemedies: ReadonlyMap<string, string> = new Map([
  ['equals', 'Write ==='],
  ['contains', 'Write includes'],
  ['matches', 'Write /^pattern$/.test(text)'],
  ['length', 'Write .length without parentheses'],
  ['size', 'Write .length'],
  ['isEmpty', "Write === ''"],
  ['equalsIgnoreCase', 'Write toLowerCase() on both sides'],
  ['search', 'Write /pattern/.test(text)'],
  ['localeCompare', 'Write <, === or >'],
  ['repeat', 'Write the text'],
  ['hasOwnProperty', "Write 'name' in value"],
  ...['some', 'every', 'filter', 'map', 'find', 'forEach'].map(
    (name) => [name, 'Functions are not supported. Write the comparison for each case'] as const,
  ),
])
