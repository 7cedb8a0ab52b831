export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object of a record's value; undefined when it is not one. */
export function parseJsonObject(bytes: Buffer): JsonObject | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    // Written by another program: the caller logs that it skips the record.
    return undefined
  }
  return isJsonObject(parsed) ? parsed : undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
