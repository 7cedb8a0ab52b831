/**
 * Reads the format of java.util.Properties (Javadoc of `Properties.load`): `name=value`, `name:value` or `name value`; `#` and
 * `!` begin comments; a backslash at the end of a line continues it; `\t \n \r \f \uXXXX` and escaped separators. The last
 * of several equal names wins.
 */
export function parseProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const line of logicalLines(text)) {
    const { name, value } = splitLine(line)
    properties[name] = value
  }
  return properties
}

/** Lines without comments and blank ones, continuations joined; escapes are still in them. */
function logicalLines(text: string): string[] {
  const lines: string[] = []
  let pending: string | null = null
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.replace(/^[ \t\f]+/, '')
    if (pending === null && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue
    const joined: string = (pending ?? '') + line
    const trailing = /\\*$/.exec(line)?.[0].length ?? 0
    if (trailing % 2 === 1) {
      pending = joined.slice(0, -1)
      continue
    }
    lines.push(joined)
    pending = null
  }
  if (pending !== null) lines.push(pending)
  return lines
}

function splitLine(line: string): { name: string; value: string } {
  let at = 0
  while (at < line.length && !/[=: \t\f]/.test(line.charAt(at))) at += line.charAt(at) === '\\' ? 2 : 1
  const name = line.slice(0, at)
  const rest = line.slice(at).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '')
  return { name: unescape(name), value: unescape(rest) }
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }

function unescape(text: string): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|.)/gs, (_whole, escape: string) =>
    escape.length === 5 ? String.fromCharCode(Number.parseInt(escape.slice(1), 16)) : (ESCAPES[escape] ?? escape),
  )
}
