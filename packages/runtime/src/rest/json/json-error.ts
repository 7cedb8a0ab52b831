/**
 * A request body that is not the JSON document that the operation expects. The texts that Kafka Connect 4.3 was
 * recorded with are those of its JSON library (Jackson 2.21); see ADR 0024 for which these are.
 */
export class JsonError extends Error {
  override readonly name: string = 'JsonError'
}

/** A place in a document. Both numbers start at 1; columns count bytes of UTF-8. */
export interface JsonLocation {
  readonly line: number
  readonly column: number
}

/** Jackson writes this in place of the document's source since 2.16. */
const source = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)'

export function describeLocation({ line, column }: JsonLocation): string {
  return `[Source: ${source}; line: ${line}, column: ${column}]`
}

export interface JsonProblem {
  readonly problem: string
  /** Null where Jackson names none: exceeded limits. */
  readonly location: JsonLocation | null
  /** The path from the document's root to the value, as `class["property"]`. */
  readonly references: readonly string[]
}

export function jsonError({ problem, location, references }: JsonProblem): JsonError {
  const place = location === null ? '' : `\n at ${describeLocation(location)}`
  const chain = references.length === 0 ? '' : ` (through reference chain: ${references.join('->')})`
  return new JsonError(problem + place + chain)
}
