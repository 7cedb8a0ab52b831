import type { HclCursor } from './hcl-cursor.ts'
import type { HclExpression, TemplatePart } from './hcl-value.ts'

/** Reads a text in quotes. The cursor is at the first quote. */
export function readQuoted(cursor: HclCursor): readonly TemplatePart[] {
  const start = cursor.at
  cursor.expect('"')
  const parts: TemplatePart[] = []
  for (;;) {
    if (cursor.isAtEnd || cursor.char === '\n') throw cursor.fault('a text in quotes has no end', start)
    if (cursor.char === '"') break
    parts.push(cursor.char === '\\' ? readEscape(cursor) : readPart(cursor, QUOTED))
  }
  cursor.expect('"')
  return parts
}

const QUOTED = /(?:[^"\\$%\n]|\$(?!\$?\{)|%(?!%?\{))+/y

/** Reads `<<END` or `<<-END` with the lines up to END. The second form removes the common indentation. */
export function readHeredoc(cursor: HclCursor): readonly TemplatePart[] {
  const start = cursor.at
  const head = cursor.take(/<<-?[A-Za-z_][\w-]*[ \t]*\r?\n/y)
  if (head === null) throw cursor.fault('the first line of a heredoc has more than its name')
  const end = head.replace(/^<<-?/, '').trim()
  const isIndented = head.startsWith('<<-')
  const lines: string[] = []
  for (;;) {
    if (cursor.isAtEnd) throw cursor.fault('a heredoc has no end', start)
    const line = cursor.take(/[^\n]*\n?/y) ?? ''
    if (line.trim() === end) {
      // The line end belongs to the attribute.
      if (line.endsWith('\n')) cursor.at -= 1
      break
    }
    lines.push(line.replace(/\r\n$/, '\n'))
  }
  const indents = lines.filter((line) => line.trim() !== '').map((line) => indentOf(line))
  // As arguments of Math.min, the lines of a large file would overflow the stack.
  const common = isIndented ? indents.reduce((least, indent) => Math.min(least, indent), indents[0] ?? 0) : 0
  return readTemplate(lines.map((line) => (line.trim() === '' ? line : line.slice(common))).join(''), start)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The parts of a heredoc. Its expressions have the place of its start. */
function readTemplate(text: string, at: number): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  for (const { 0: part } of text.matchAll(/\$\$\{|%%\{|[$%]\{[^}]*\}?|[^$%]+|[$%]/g)) {
    if (part === '$${' || part === '%%{') parts.push(part.slice(1))
    else if (/^[$%]\{/.test(part) && !/^\$\{[\w.-]+:/.test(part)) parts.push(expressionOf(part.slice(2, -1), at))
    else parts.push(part)
  }
  return parts
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

function readEscape(cursor: HclCursor): string {
  const escape = cursor.take(/\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[nrt"\\])/y)
  if (escape === null) throw cursor.fault('a backslash is not followed by n, r, t, ", \\, uNNNN or UNNNNNNNN')
  if (escape.length === 2) return ESCAPES[escape.charAt(1)] ?? ''
  const codePoint = Number.parseInt(escape.slice(2), 16)
  if (codePoint > 0x10_ff_ff) throw cursor.fault('an escape is not a character of Unicode')
  return String.fromCodePoint(codePoint)
}

/** A reference to a config provider, which Terraform would refuse: there it must begin with `$${`. */
const PROVIDER = /\$\{[\w.-]+:[^}"\n]*\}/y

function readPart(cursor: HclCursor, plain: RegExp): TemplatePart {
  const start = cursor.at
  const escaped = cursor.take(/\$\$\{|%%\{/y)
  if (escaped !== null) return escaped.slice(1)
  const literal = cursor.take(plain) ?? cursor.take(PROVIDER)
  if (literal !== null) return literal
  cursor.at += 2
  skipBraces(cursor, start)
  return expressionOf(cursor.text.slice(start + 2, cursor.at - 1), start)
}

/** Skips an interpolation up to its brace; texts within it may contain braces. */
function skipBraces(cursor: HclCursor, start: number): void {
  for (let depth = 1; depth > 0;) {
    if (cursor.isAtEnd || cursor.char === '\n') throw cursor.fault('an interpolation (${…}) has no end', start)
    if (cursor.take(/"(?:[^"\\\n]|\\.)*"/y) !== null) continue
    // Another search from each following quote would make the time quadratic.
    if (cursor.char === '"') throw cursor.fault('a text in quotes has no end')
    if (cursor.char === '{') depth += 1
    if (cursor.char === '}') depth -= 1
    cursor.at += 1
  }
}

/** An expression by its text. Only its first name is kept: the rest may contain secrets. */
export function expressionOf(text: string, at: number): HclExpression {
  const trimmed = text.trim().replace(/^~|~$/g, '').trim()
  const [name = 'an operator'] = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*/.exec(trimmed) ?? []
  const variable = /^var\.([A-Za-z_][\w-]*)$/.exec(trimmed)?.[1] ?? null
  return { tag: 'expression', name, variable, at }
}
