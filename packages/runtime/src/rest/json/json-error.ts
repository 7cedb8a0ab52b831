/**
 * A request body that is not the JSON document that was asked for. Its message is the one that the JSON library of
 * Kafka Connect 4.3 (Jackson 2.21) gives, since scripts and people look for those words.
 */
export class JsonError extends Error {
  override readonly name: string = 'JsonError'
}

/** How the library names its input since 2.16: it no longer shows what it was reading. */
const source = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)'

/** A place in a document. Both numbers start at 1; columns count bytes of UTF-8, or UTF-16 units of other encodings. */
export interface JsonLocation {
  readonly line: number
  readonly column: number
}

export function describeLocation(location: JsonLocation): string {
  return `[Source: ${source}; line: ${location.line}, column: ${location.column}]`
}

export interface JsonProblem {
  readonly problem: string
  /** Absent where the library names none: broken limits, properties given twice. */
  readonly location?: JsonLocation
  /** The way from the document's root to the value, as `class["property"]`. */
  readonly references: readonly string[]
}

export function jsonError({ problem, location, references }: JsonProblem): JsonError {
  const place = location === undefined ? '' : `\n at ${describeLocation(location)}`
  const chain = references.length === 0 ? '' : ` (through reference chain: ${references.join('->')})`
  return new JsonError(problem + place + chain)
}
