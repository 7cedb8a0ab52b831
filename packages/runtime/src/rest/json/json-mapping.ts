import { formatJavaDouble, trimJava } from './java-text.ts'
import type { JsonError } from './json-error.ts'
import type { JsonToken } from './json-token.ts'
import type { JsonTokenizer } from './json-tokenizer.ts'

/** Property names with their values, in the order of the document; of one given twice the last value, in the first place. */
export type TextMap = ReadonlyMap<string, string | null>

const textMapClass = 'java.util.LinkedHashMap'

/** Reads a document that is one map of texts, such as a connector configuration. Null where there is none. */
export function readTextMapDocument(tokenizer: JsonTokenizer): TextMap | null {
  const first = tokenizer.next()
  const map = first === null ? null : readTextMap(tokenizer, first)
  expectEnd(tokenizer, 'java.util.Map')
  return map
}

/** Reads a map of texts whose first token was just read. */
export function readTextMap(tokenizer: JsonTokenizer, first: JsonToken): TextMap | null {
  if (first === 'VALUE_NULL') return null
  if (first !== 'START_OBJECT') throw noMapError(tokenizer, 'java.lang.String', first)
  const map = new Map<string, string | null>()
  while (tokenizer.next() === 'FIELD_NAME') {
    const { name } = tokenizer
    const value = tokenizer.next()
    map.set(name, value === null ? null : readText(tokenizer, value, `${textMapClass}["${name}"]`))
  }
  return map
}

/** The error about a value that stands for a map and is no object. */
export function noMapError(tokenizer: JsonTokenizer, valueClass: string, token: JsonToken): JsonError {
  if (token !== 'VALUE_STRING') {
    return mismatchError(tokenizer, `${textMapClass}<java.lang.String,${valueClass}>`, token)
  }
  const text = trimJava(tokenizer.string())
  const problem =
    text === ''
      ? emptyTextProblem(`element of \`${textMapClass}\``)
      : constructionProblem(textMapClass, 'String', `String value ('${text}')`)
  return errorAtToken(tokenizer, problem)
}

/**
 * Reads a text whose token was just read. Numbers and truth values are taken as they are written. The reference belongs
 * to errors about the kind of value only, not to errors in the text.
 */
export function readText(tokenizer: JsonTokenizer, token: JsonToken, reference?: string): string | null {
  if (token === 'VALUE_NULL') return null
  if (token === 'VALUE_STRING') return tokenizer.string()
  if (token !== 'START_OBJECT' && token !== 'START_ARRAY') return tokenizer.scalar()
  if (reference !== undefined) tokenizer.input.references.push(reference)
  throw mismatchError(tokenizer, 'java.lang.String', token)
}

/** Refuses everything but white space behind a document. */
export function expectEnd(tokenizer: JsonTokenizer, boundAs: string): void {
  const token = tokenizer.next()
  if (token === null) return
  const rule = 'not allowed as per `DeserializationFeature.FAIL_ON_TRAILING_TOKENS`'
  const problem = `Trailing token (of type ${token}) found after value (bound as \`${boundAs}\`): ${rule}`
  throw errorAtToken(tokenizer, problem)
}

/** The error about a value of the wrong kind. */
export function mismatchError(tokenizer: JsonTokenizer, target: string, token: JsonToken): JsonError {
  const found = `${kindOf(token)} value (token \`JsonToken.${token}\`)`
  return errorAtToken(tokenizer, `Cannot deserialize value of type \`${target}\` from ${found}`)
}

/** The error about a value that stands for an object of a class and is no JSON object. */
export function noRecordError(tokenizer: JsonTokenizer, className: string, token: JsonToken): JsonError {
  if (token === 'START_ARRAY') return mismatchError(tokenizer, className, token)
  if (token !== 'VALUE_STRING') {
    const [argument, found] = describeScalar(token, tokenizer.scalar())
    return errorAtToken(tokenizer, constructionProblem(className, argument, found))
  }
  const text = trimJava(tokenizer.string())
  const problem =
    text === ''
      ? emptyTextProblem(`\`${className}\` value`)
      : constructionProblem(className, 'String', `String value ('${text}')`)
  return errorAtToken(tokenizer, problem)
}

/** The Java type of a number or truth value, and how Java prints it. */
function describeScalar(token: JsonToken, text: string): readonly [argument: string, found: string] {
  if (token === 'VALUE_NUMBER_FLOAT') return ['double/Double', `Number value (${formatJavaDouble(Number(text))})`]
  if (token !== 'VALUE_NUMBER_INT') return ['boolean/Boolean', `boolean value (${text})`]
  const value = BigInt(text)
  const found = `Number value (${value})`
  if (value === BigInt.asIntN(32, value)) return ['int/Int', found]
  return value === BigInt.asIntN(64, value) ? ['long/Long', found] : ['BigInteger', found]
}

export function errorAtToken(tokenizer: JsonTokenizer, problem: string): JsonError {
  return tokenizer.input.error(problem, tokenizer.tokenStart)
}

export function constructionProblem(target: string, argument: string, found: string): string {
  const missing = `no ${argument}-argument constructor/factory method to deserialize from ${found}`
  return `Cannot construct instance of \`${target}\` (although at least one Creator exists): ${missing}`
}

export function emptyTextProblem(target: string): string {
  return `Cannot coerce empty String ("") to ${target} (but could if coercion was enabled using \`CoercionConfig\`)`
}

function kindOf(token: JsonToken): string {
  if (token === 'START_OBJECT') return 'Object'
  if (token === 'START_ARRAY') return 'Array'
  if (token === 'VALUE_NUMBER_INT') return 'Integer'
  return token === 'VALUE_NUMBER_FLOAT' ? 'Floating-point' : 'Boolean'
}
