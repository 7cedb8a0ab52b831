/** A JSON object whose members have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the members of a JSON object; none when the value is not an object. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Returns the items of a JSON array; none when the value is not an array. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((item: unknown) => item) : []
}
