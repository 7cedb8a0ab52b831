import { describeError } from '@tributary/support'
import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'
import { DEPTH_MAX } from './limits.ts'

/** `{"name": …, "config": {…}}`, or the properties alone. */
export function readJson(text: string): readonly FormDocument[] {
  const at = tooDeep(text)
  if (at !== null) throw new FormError(`it has more than ${DEPTH_MAX} levels`, at)
  const document = parse(text)
  if (!isObject(document)) throw new FormError('it is JSON, but not an object')
  return [documentOf(document)]
}

/** A document in one of the two forms, of JSON or YAML. */
export function documentOf(document: Readonly<Record<string, unknown>>): FormDocument {
  const { name, config, initial_state: initialState } = document
  const isWrapped = isObject(config)
  const properties = textValues(isWrapped ? config : document)
  return {
    name: typeof name === 'string' && name !== '' ? name : properties['name'],
    config: properties,
    initialState: isWrapped ? initialState : undefined,
    isNameFixed: isWrapped && typeof name === 'string',
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts booleans to text, as the service does. Numbers are texts already. */
function textValues(config: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const values: [string, string][] = []
  for (const [property, value] of Object.entries(config)) {
    if (value === null) throw new FormError(`the value of ${property} is null; leave the property out`)
    if (typeof value !== 'string' && typeof value !== 'boolean') {
      throw new FormError(`the value of ${property} is not a string, number or boolean`)
    }
    values.push([property, String(value)])
  }
  return Object.fromEntries(values)
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

const parseJson: (text: string, reviver: Reviver) => unknown = JSON.parse

/** A number becomes the text that the file has: as a double, a number of 20 digits would have other ones. */
const keepNumbers: Reviver = (_, value, context) => (typeof value === 'number' ? (context?.source ?? value) : value)

function parse(text: string): unknown {
  try {
    return parseJson(text, keepNumbers)
  } catch (error) {
    // The parser's message quotes the text around the fault, which may contain a password.
    throw new FormError('it is not JSON', faultAt(text, error))
  }
}

/** Where the parser stopped. */
function faultAt(text: string, error: unknown): number {
  const position = /at position (\d+)/.exec(describeError(error))?.[1]
  return position === undefined ? text.length : Number(position)
}

/**
 * The first bracket beyond the limit of levels, or null. The parser itself would end with an overflow of its stack. A
 * text without an end matches up to the end of the file: another search from each of its quotes would be quadratic.
 */
function tooDeep(text: string): number | null {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    if (token === ']' || token === '}') depth -= 1
    if (depth > DEPTH_MAX) return index
  }
  return null
}
