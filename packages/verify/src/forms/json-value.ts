/** A number that a double cannot represent, or whose spelling matters: its text in the document. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** A value of a JSON document. */
export type JsonValue = null | boolean | number | string | ExactNumber | readonly JsonValue[] | JsonObject

export interface JsonObject {
  readonly [field: string]: JsonValue | undefined
}

/** Thrown when a value needs `parseExactly`. */
export class NeedsExactNumbers extends Error {
  override readonly name: string = 'NeedsExactNumbers'
}

/** Several times as slow as JSON.parse. Numbers other than safe integers keep their spelling. */
export function parseExactly(text: string): JsonValue {
  return JSON.parse(text, reviveNumber) as JsonValue
}

/** The parser passes the spelling of primitive values (ECMAScript, JSON.parse source text access). */
function reviveNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return Number.isSafeInteger(value) && /^-?\d+$/.test(context.source) ? value : new ExactNumber(context.source)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** The JSON text of a value, with the spelling of numbers that was kept. */
export function jsonText(value: JsonValue): string {
  if (value instanceof ExactNumber) return value.source
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => jsonText(item)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${jsonText(member)}`],
  )
  return `{${members.join(',')}}`
}

/**
 * The text of an integer.
 *
 * @throws NeedsExactNumbers
 */
export function integerText(value: JsonValue): string | null {
  if (value instanceof ExactNumber) return /^-?\d+$/.test(value.source) ? value.source : null
  if (typeof value !== 'number') return null
  if (Number.isSafeInteger(value)) return String(value)
  throw new NeedsExactNumbers()
}

/** The value of a number as a double; null for another value. */
export function doubleOf(value: JsonValue): number | null {
  if (value instanceof ExactNumber) return Number(value.source)
  return typeof value === 'number' ? value : null
}
