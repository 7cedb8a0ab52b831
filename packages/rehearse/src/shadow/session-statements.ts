/** The statements of `database.initial.statements`, as far as a rehearsal may run them beside the connector. */
export interface SessionStatements {
  /** The statements that only set something for their own session, in the form of the property; empty without any. */
  readonly kept: string
  readonly left: readonly string[]
}

/**
 * The connector's own connections already run its statements; the rehearsal would run them a second time. So it leaves
 * out each statement that is not plainly a setting of the session, since it may change data or the server.
 */
export function sessionStatements(text: string): SessionStatements {
  // As the connector reads them: a doubled semicolon is a character of a statement.
  const statements = text
    .split(/(?<!;);(?!;)/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const kept = statements.filter(isOfSession)
  return { kept: kept.join(';'), left: statements.filter((each) => !isOfSession(each)) }
}

function isOfSession(statement: string): boolean {
  if (!FORMS.some((form) => form.test(statement))) return false
  if (BEYOND_SESSION.test(statement)) return false
  // A call may be a stored function, which can change rows.
  return !statement.replaceAll(/\b(CONCAT|REPLACE)\s*\(/gi, '').includes('(')
}

const FORMS: readonly RegExp[] = [
  /^SET\s+((SESSION|LOCAL)\s+)?@{0,2}((SESSION|LOCAL)\.)?[\w$]+\s*:?=/i,
  /^SET\s+(NAMES|CHARACTER\s+SET|CHARSET|ROLE)\s/i,
  /^SET\s+((SESSION|LOCAL)\s+)?TRANSACTION\s/i,
]

/** Includes comments, which may hide a word, and doubled semicolons, which no setting needs. */
const BEYOND_SESSION = /\b(GLOBAL|PERSIST|PERSIST_ONLY|PASSWORD)\b|\/\*|--|#|;/i
