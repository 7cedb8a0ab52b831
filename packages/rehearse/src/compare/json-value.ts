/** A JSON value whose numbers are exact: those that a double does not hold in their spelling are `ExactNumber`. */
export type JsonValue = null | boolean | number | string | ExactNumber | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** A number as it is spelled. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): string {
    return this.text
  }
}

/** @throws SyntaxError */
export function parseExactly(text: string): JsonValue {
  return JSON.parse(text, revive) as JsonValue
}

/** The third argument is of ECMAScript 2025, which the types of the compiler do not have yet. */
function revive(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value
  const source = context?.source
  return source === undefined || source === String(value) ? value : new ExactNumber(source)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** A value as a text for people; long ones are cut. */
export function shownValue(value: JsonValue | undefined, lengthMax: number = SHOWN_MAX): string {
  if (value === undefined) return '(absent)'
  const text = value instanceof ExactNumber ? value.text : JSON.stringify(value)
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
}

const SHOWN_MAX = 200
