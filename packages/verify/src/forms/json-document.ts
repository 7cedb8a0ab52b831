import { ExactNumber, isObject, type JsonValue, parseExactly } from './json-value.ts'

/**
 * A JSON document in one spelling: members sorted, no blanks, numbers by their value. The servers and the connectors
 * spell equal documents differently. Null: the text is no JSON document.
 */
export function canonicalJson(text: string): string | null {
  try {
    return canonical(parseExactly(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function canonical(value: JsonValue): string {
  if (value instanceof ExactNumber) return numberText(value.source)
  if (Array.isArray(value)) return `[${value.map((each: JsonValue) => canonical(each)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).toSorted()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(',')}}`
}

/** Integers of any size are exact; other numbers are those that a double has. */
function numberText(source: string): string {
  if (/^-?\d+$/.test(source)) return String(BigInt(source))
  const value = Number(source)
  return Object.is(value, -0) ? '0' : String(value)
}
