import { EvaluationError } from './expression-error.ts'
import { javaEquals } from './groovy-comparison.ts'
import { javaText } from './java-text.ts'
import { charactersOf, describeKind } from './kind.ts'
import { type Implementation, literal, type Method, methodTable, plain } from './method.ts'
import { fieldMethods, schemaMethods, structMethods } from './struct-methods.ts'
import { splitText } from './split-text.ts'
import { integerValue, textToNumber } from './text-to-number.ts'
import type { JavaDate, Value } from './values.ts'

/** A method of texts with texts as arguments; both are counted. */
function ofTexts(args: number, call: (text: string, args: readonly string[]) => Value): Implementation {
  return plain(args, args, (receiver, values, scope) => {
    const text = charactersOf(receiver) ?? ''
    const texts = values.map(textArgument)
    scope.charge(text.length)
    const result = call(text, texts)
    if (typeof result === 'string') scope.charge(result.length)
    return result
  })
}

function textArgument(value: Value): string {
  const text = charactersOf(value)
  if (text !== null) return text
  throw new EvaluationError(`a text is expected instead of ${describeKind(value)}`, 'Test for null first')
}

const isEqual = plain(1, 1, (receiver, [other]) => javaEquals(receiver, other))
const toText = plain(0, 0, (receiver, _, scope) => {
  const text = javaText(receiver)
  scope.charge(text.length)
  return text
})
const common = { equals: isEqual, toString: toText }

const text: Readonly<Record<string, Implementation>> = {
  ...common,
  equalsIgnoreCase: plain(1, 1, (receiver, [other], scope) => {
    const [a, b] = [charactersOf(receiver) ?? '', other === undefined ? null : charactersOf(other)]
    scope.charge(a.length * 2)
    return b !== null && a.length === b.length && foldCase(a) === foldCase(b)
  }),
  startsWith: ofTexts(1, (self, [prefix = '']) => self.startsWith(prefix)),
  endsWith: ofTexts(1, (self, [suffix = '']) => self.endsWith(suffix)),
  contains: ofTexts(1, (self, [part = '']) => self.includes(part)),
  indexOf: ofTexts(1, (self, [part = '']) => self.indexOf(part)),
  lastIndexOf: ofTexts(1, (self, [part = '']) => self.lastIndexOf(part)),
  toLowerCase: ofTexts(0, (self) => self.toLowerCase()),
  toUpperCase: ofTexts(0, (self) => self.toUpperCase()),
  // Characters up to the space, which Java's trim removes; JavaScript's knows more of them.
  trim: ofTexts(0, (self) => trimmed(self)),
  length: ofTexts(0, (self) => self.length),
  size: ofTexts(0, (self) => self.length),
  isEmpty: ofTexts(0, (self) => self.length === 0),
  concat: ofTexts(1, (self, [other = '']) => self + other),
  substring: plain(1, 2, (receiver, [from, to], scope) => {
    const self = charactersOf(receiver) ?? ''
    const start = integerValue(from)
    const end = to === undefined ? self.length : integerValue(to)
    if (start < 0 || end > self.length || start > end) {
      throw new EvaluationError(
        `a text of ${self.length} characters has no part from ${start} to ${end}`,
        'Test its length first',
      )
    }
    scope.charge(end - start)
    return self.slice(start, end)
  }),
  replace: plain(2, 2, (receiver, args, scope) => {
    const self = charactersOf(receiver) ?? ''
    const [part = '', replacement = ''] = args.map(textArgument)
    scope.charge((self.length + 1) * (replacement.length + 1))
    return self.replaceAll(part, () => replacement)
  }),
  matches: literal(1, ([source = ''], patterns) => {
    const pattern = patterns.compile(source)
    return (receiver, scope) => pattern.matches(charactersOf(receiver) ?? '', scope)
  }),
  replaceAll: replacing(true),
  replaceFirst: replacing(false),
  split: literal(1, ([separator = '']) => {
    const split = splitText(separator)
    return (receiver, scope) => split(charactersOf(receiver) ?? '', scope)
  }),
  toInteger: ofTexts(0, (self) => textToNumber(self, 32)),
  toLong: ofTexts(0, (self) => textToNumber(self, 64)),
}

function replacing(isForAll: boolean): Implementation {
  return literal(2, ([source = '', replacement = ''], patterns) => {
    const replace = patterns.compile(source).replacer(replacement, isForAll)
    return (receiver, scope) => replace(charactersOf(receiver) ?? '', scope)
  })
}

function trimmed(self: string): string {
  let start = 0
  let end = self.length
  while (start < end && self.charCodeAt(start) <= 0x20) start += 1
  while (end > start && self.charCodeAt(end - 1) <= 0x20) end -= 1
  return self.slice(start, end)
}

/** Character by character, as Java compares: the letter ß has no upper case of one character. */
function foldCase(self: string): string {
  let folded = ''
  for (const c of self) {
    const upper = c.toUpperCase()
    const lower = (upper.length === c.length ? upper : c).toLowerCase()
    folded += lower.length === c.length ? lower : c
  }
  return folded
}

const list: Readonly<Record<string, Implementation>> = {
  contains: plain(1, 1, (receiver, [item]) => (receiver as readonly Value[]).some((each) => javaEquals(each, item))),
  size: plain(0, 0, (receiver) => (receiver as readonly Value[]).length),
  isEmpty: plain(0, 0, (receiver) => (receiver as readonly Value[]).length === 0),
  get: plain(1, 1, (receiver, [index]) => {
    const items = receiver as readonly Value[]
    const at = integerValue(index)
    if (at >= 0 && at < items.length) return items[at]
    throw new EvaluationError(`a list of ${items.length} elements has no element ${at}`)
  }),
}

type ValueMap = ReadonlyMap<Value, Value>
const map: Readonly<Record<string, Implementation>> = {
  get: plain(1, 1, (receiver, [key]) => (receiver as ValueMap).get(key) ?? null),
  containsKey: plain(1, 1, (receiver, [key]) => (receiver as ValueMap).has(key)),
  size: plain(0, 0, (receiver) => (receiver as ValueMap).size),
  isEmpty: plain(0, 0, (receiver) => (receiver as ValueMap).size === 0),
}

export const groovyMethods: ReadonlyMap<string, Method> = methodTable({
  text,
  number: common,
  boolean: common,
  list,
  map,
  struct: { ...structMethods('groovy'), equals: isEqual },
  schema: schemaMethods,
  field: fieldMethods,
  date: { getTime: plain(0, 0, (receiver) => BigInt((receiver as JavaDate).milliseconds)), equals: isEqual },
})

export const groovyRemedies: ReadonlyMap<string, string> = new Map([
  ['includes', 'Write contains'],
  ['test', 'Write text ==~ /pattern/'],
  ['match', 'Write text =~ /pattern/'],
  ['slice', 'Write substring(start, end)'],
  ['find', 'Write text =~ /pattern/'],
  ['tokenize', 'Write split(separator)'],
  ['compareTo', 'Write <, == or >'],
  ['is', 'Write =='],
  ...['any', 'every', 'each', 'collect', 'findAll'].map(
    (name) => [name, 'Closures are not supported. Write the comparison for each case'] as const,
  ),
])
