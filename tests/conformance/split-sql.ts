/** The end of a quoted string or name that begins at `at`: after its closing quote. */
function endOfQuoted(text: string, at: number): number {
  const quote = text[at]
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\' && quote !== '`') i += 1
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return i + 1
      i += 1
    }
  }
  return text.length
}

/** Where the token at `at` ends: a quoted run, a comment, or one character. */
function endOfToken(text: string, at: number): number {
  const char = text[at] ?? ''
  if (`'"\``.includes(char)) return endOfQuoted(text, at)
  if (char === '#' || /^--\s/.test(text.slice(at, at + 3))) {
    const end = text.indexOf('\n', at)
    return end < 0 ? text.length : end
  }
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? text.length : end + 2
  }
  return at + 1
}

/**
 * Splits a script into statements as the `mysql` program does: by semicolons, or by the delimiter of a DELIMITER line.
 * Comment lines before a statement are removed; the server writes the rest of the text to its binlog.
 */
export function splitSql(text: string): readonly string[] {
  const statements: string[] = []
  let delimiter = ';'
  let start = 0
  const push = (end: number): void => {
    const statement = withoutCommentLines(text.slice(start, end))
    if (statement !== '') statements.push(statement)
  }
  for (let at = 0; at < text.length;) {
    const line = at === 0 || text[at - 1] === '\n' ? /^DELIMITER[ \t]+(\S+)[ \t]*(\n|$)/i.exec(text.slice(at)) : null
    if (line !== null) {
      delimiter = line[1] ?? ';'
      at += line[0].length
      start = at
    } else if (text.startsWith(delimiter, at)) {
      push(at)
      at += delimiter.length
      start = at
    } else {
      at = endOfToken(text, at)
    }
  }
  push(text.length)
  return statements
}

function withoutCommentLines(statement: string): string {
  let rest = statement.trim()
  for (let comment; (comment = /^(?:--(?:[ \t].*)?|#.*)(?:\n|$)/.exec(rest)) !== null;) {
    rest = rest.slice(comment[0].length).trimStart()
  }
  return rest
}
