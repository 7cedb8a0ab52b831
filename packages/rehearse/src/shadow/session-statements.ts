/** The statements of `database.initial.statements`, as far as a rehearsal may run them beside the connector. */
export interface SessionStatements {
  /** Those that only set something for their own session, in the form of the property; empty: none. */
  readonly kept: string
  readonly left: readonly string[]
}

/**
 * The connector's own connections run its statements; the rehearsal would run those that change data or the server a
 * second time. What is not plainly a setting of the session is left out.
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

/** Also a comment, which may hide a word; a doubled semicolon, which no setting needs. */
const BEYOND_SESSION = /\b(GLOBAL|PERSIST|PERSIST_ONLY|PASSWORD)\b|\/\*|--|#|;/i
