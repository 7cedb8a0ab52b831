/**
 * Reads the format of java.util.Properties (Javadoc of `Properties.load`): `name=value`, `name:value` or `name value`; `#` and
 * `!` begin comments; a backslash at the end of a line continues it; `\t \n \r \f \uXXXX` and escaped separators. The last
 * of several equal names wins.
 *
 * @throws SyntaxError of an escape that is none, with its line
 */
export function parseProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const line of logicalLines(text)) {
    const { name, value } = splitLine(line)
    properties[unescape(name, line)] = unescape(value, line)
  }
  return properties
}

/** A line with its continuations; escapes are still in it. */
interface LogicalLine {
  readonly text: string
  /** Of its beginning, from 1. */
  readonly number: number
}

/** Lines without comments and blank ones, continuations joined. */
function logicalLines(text: string): readonly LogicalLine[] {
  const lines: LogicalLine[] = []
  let pending: LogicalLine | null = null
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.replace(/^[ \t\f]+/, '')
    if (pending === null && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue
    const joined: LogicalLine = { text: (pending?.text ?? '') + line, number: pending?.number ?? index + 1 }
    pending = isContinued(line) ? { ...joined, text: joined.text.slice(0, -1) } : null
    if (pending === null) lines.push(joined)
  }
  return pending === null ? lines : [...lines, pending]
}

/** An odd number of backslashes: the last one is not escaped itself. */
function isContinued(line: string): boolean {
  const [backslashes = ''] = /\\*$/.exec(line) ?? []
  return backslashes.length % 2 === 1
}

function splitLine({ text }: LogicalLine): { name: string; value: string } {
  let at = 0
  while (at < text.length && !/[=: \t\f]/.test(text.charAt(at))) at += text.charAt(at) === '\\' ? 2 : 1
  return { name: text.slice(0, at), value: text.slice(at).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '') }
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }

function unescape(text: string, { number }: LogicalLine): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|.)/gs, (_whole, escape: string) => {
    if (escape === 'u') throw new SyntaxError(`line ${number}: \\u is not followed by four hexadecimal digits`)
    if (escape.length === 5) return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return ESCAPES[escape] ?? escape
  })
}
