import type { Dialect } from './dialect.ts'
import { EvaluationError } from './expression-error.ts'
import { javaScriptMethods, javaScriptRemedies } from './javascript-methods.ts'
import { isJavaScriptTrue, javaScriptOperations, javaScriptText, numberOf } from './javascript-operators.ts'
import { describeKind } from './kind.ts'
import { HeaderValue, type Value } from './values.ts'

/** Expressions with the results that JavaScript has for them; values of Java convert as Graal.js converts them. */
export const javaScriptDialect: Dialect = {
  language: 'javascript',
  nothing: undefined,
  isTrue: isJavaScriptTrue,
  unary(operator, value) {
    const number = numberOf(value)
    return operator === '-' ? -number : number
  },
  binary: (operator) => javaScriptOperations[operator],
  join(parts, scope) {
    const text = parts.map(javaScriptText).join('')
    scope.charge(text.length)
    return text
  },
  textOf: javaScriptText,
  missingField: () => undefined,
  property(receiver, name) {
    if (name === 'length' && (typeof receiver === 'string' || Array.isArray(receiver))) return receiver.length
    if (receiver instanceof Map) return (receiver as ReadonlyMap<Value, Value>).get(name)
    if (receiver instanceof HeaderValue && name === 'value') return receiver.value
    throw new EvaluationError(`${describeKind(receiver)} has no property ${name}`)
  },
  element(receiver, index) {
    if (receiver instanceof Map) return (receiver as ReadonlyMap<Value, Value>).get(index)
    if (typeof index === 'number' && typeof receiver === 'string') return receiver[index]
    if (typeof index === 'number' && Array.isArray(receiver)) return (receiver as readonly Value[])[index]
    throw new EvaluationError(`${describeKind(receiver)} has no element ${describeKind(index)}`)
  },
  callOnNothing(name) {
    throw new EvaluationError(`null has no method ${name}`, `Write ?.${name}(…), or test for null first`)
  },
  methods: javaScriptMethods,
  remedies: javaScriptRemedies,
}
