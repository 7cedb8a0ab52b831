export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object of a record's value; undefined when it is none. */
export function parseJsonObject(bytes: Buffer): JsonObject | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    // A record of somebody else: the caller says that it is skipped.
    return undefined
  }
  return isJsonObject(parsed) ? parsed : undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
