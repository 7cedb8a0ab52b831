/**
 * Reads the format of java.util.Properties (Javadoc of `Properties.load`): `name=value`, `name:value` or `name value`;
 * lines that start with `#` or `!` are comments; a backslash at the end continues a line; the escapes are `\t \n \r \f
 * \uXXXX` and escaped separators. Of several equal names the last one applies.
 *
 * @throws SyntaxError for an invalid escape, with its line
 */
export function parseProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const { name, value } of readProperties(text)) properties[name] = value
  return properties
}

export interface Property {
  readonly name: string
  readonly value: string
  /** The number of its first line, from 1. */
  readonly line: number
}

/**
 * The same, with the lines and in their order.
 *
 * @throws SyntaxError for an invalid escape, with its line
 */
export function readProperties(text: string): readonly Property[] {
  return logicalLines(text).map((line) => {
    const { name, value } = splitLine(line)
    return { name: unescape(name, line), value: unescape(value, line), line: line.number }
  })
}

/** A line joined with its continuations; its escapes are not resolved. */
interface LogicalLine {
  readonly text: string
  /** The number of its first line, from 1. */
  readonly number: number
}

/** All lines except comments and blank lines. */
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

/** Whether the line ends with an odd number of backslashes, so that the last one is not itself escaped. */
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
