/**
 * Statements of a script for the tests: each ends with the delimiter at the end of a line. Lines that begin with `--`
 * are left out, `DELIMITER x` changes the delimiter.
 */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let delimiter = ';'
  let lines: string[] = []
  for (const line of script.split('\n')) {
    const directive = /^DELIMITER (\S+)/.exec(line)
    if (directive !== null) {
      delimiter = directive[1] ?? ';'
    } else if (line.trimEnd().endsWith(delimiter)) {
      lines.push(line.trimEnd().slice(0, -delimiter.length))
      statements.push(lines.join('\n'))
      lines = []
    } else if (!(lines.length === 0 && (/^\s*--/.test(line) || line.trim() === ''))) {
      lines.push(line)
    }
  }
  return statements
}
