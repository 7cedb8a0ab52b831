import { HclCursor } from './hcl-cursor.ts'
import { expressionOf, readHeredoc, readQuoted } from './hcl-text.ts'
import type { HclBlock, HclEntry, HclValue } from './hcl-value.ts'
import { DEPTH_MAX } from './limits.ts'
import { numberText } from './number-text.ts'

/**
 * Reads the blocks of a Terraform file (HCL 2), with the subset of values that does not need Terraform:
 *
 *     body       { attribute | block }
 *     attribute  NAME "=" value                      up to the end of the line
 *     block      NAME { NAME | TEXT } "{" body "}"
 *     value      TEXT | HEREDOC | NUMBER | true | false | null | "{" { key ( "=" | ":" ) value [ "," ] } "}" | expression
 *
 * Any other value is an expression, which is skipped up to its end and reported where it is used.
 */
export function readHcl(text: string): readonly HclBlock[] {
  const cursor = new HclCursor(text)
  const { blocks } = new HclReader(cursor).body(0)
  if (!cursor.isAtEnd) throw cursor.fault('a brace closes nothing')
  return blocks
}

const NAME = /[A-Za-z_][\w-]*/y

class HclReader {
  readonly #cursor: HclCursor

  constructor(cursor: HclCursor) {
    this.#cursor = cursor
  }

  body(depth: number): Pick<HclBlock, 'attributes' | 'blocks'> {
    const cursor = this.#cursor
    if (depth > DEPTH_MAX) throw cursor.fault(`it has more than ${DEPTH_MAX} levels`)
    const attributes = new Map<string, HclValue>()
    const blocks: HclBlock[] = []
    for (cursor.skipBlanks(); !cursor.isAtEnd && cursor.char !== '}'; cursor.skipBlanks()) {
      const start = cursor.at
      const name = cursor.take(NAME)
      if (name === null) throw cursor.fault('there is neither an attribute nor a block')
      cursor.skipBlanksOfLine()
      if (cursor.take(/=(?![=>])/y) === null) blocks.push(this.#block(name, start, depth))
      else {
        if (attributes.has(name)) throw cursor.fault(`the attribute ${name} occurs twice`, start)
        cursor.skipBlanksOfLine()
        attributes.set(name, this.#value(depth + 1))
      }
    }
    return { attributes, blocks }
  }

  #block(type: string, start: number, depth: number): HclBlock {
    const cursor = this.#cursor
    const labels: string[] = []
    for (; cursor.char !== '{'; cursor.skipBlanksOfLine()) {
      const label = cursor.char === '"' ? this.#plainText() : cursor.take(NAME)
      if (label === null) throw cursor.fault(`after ${type}, neither = nor a block follows`)
      labels.push(label)
    }
    cursor.expect('{')
    const body = this.body(depth + 1)
    if (cursor.isAtEnd) throw cursor.fault(`the block ${type} has no end`, start)
    cursor.expect('}')
    return { type, labels, ...body, at: start }
  }

  #value(depth: number): HclValue {
    const cursor = this.#cursor
    const start = cursor.at
    if (depth > DEPTH_MAX) throw cursor.fault(`it has more than ${DEPTH_MAX} levels`)
    const literal = this.#literal(depth)
    cursor.skipBlanksOfLine()
    if (literal !== null && (cursor.isAtEnd || /[\n,}\])]/.test(cursor.char))) return literal
    // A literal is not read again: nested expressions would take time for each of their levels.
    if (literal === null) cursor.at = start
    return this.#expression(start)
  }

  /** A literal, or null. An operator may follow it. */
  #literal(depth: number): HclValue | null {
    const cursor = this.#cursor
    const { at } = cursor
    if (cursor.char === '"') return { tag: 'template', parts: readQuoted(cursor), at }
    if (/<<-?[A-Za-z_]/y.test(cursor.text.slice(cursor.at, cursor.at + 4))) {
      return { tag: 'template', parts: readHeredoc(cursor), at }
    }
    if (cursor.char === '{') return this.#object(depth)
    const word = cursor.take(/-?\d[\w.+-]*|[A-Za-z_][\w-]*/y)
    if (word === 'null') return { tag: 'null', at }
    if (word === 'true' || word === 'false') return { tag: 'template', parts: [word], at }
    const number = word === null ? null : numberText(word)
    return number === null ? null : { tag: 'template', parts: [number], at }
  }

  #object(depth: number): HclValue | null {
    const cursor = this.#cursor
    const { at } = cursor
    cursor.expect('{')
    cursor.skipBlanks()
    // `{ for key, value in map : … }`
    if (/^for\s/.test(cursor.text.slice(cursor.at, cursor.at + 4))) return null
    const entries: HclEntry[] = []
    for (; cursor.char !== '}'; cursor.skipBlanks()) {
      if (cursor.isAtEnd) throw cursor.fault('an object has no end')
      entries.push(this.#entry(depth))
      cursor.skipBlanks()
      cursor.take(/,/y)
    }
    cursor.expect('}')
    return { tag: 'object', entries, at }
  }

  #entry(depth: number): HclEntry {
    const cursor = this.#cursor
    const { at } = cursor
    const key = this.#key()
    cursor.skipBlanksOfLine()
    if (cursor.take(/[=:]/y) === null) throw cursor.fault('after a key, neither = nor : follows')
    cursor.skipBlanksOfLine()
    return { key, value: this.#value(depth + 1), at }
  }

  #key(): string | null {
    const cursor = this.#cursor
    if (cursor.char === '"') return this.#plainText()
    if (cursor.char !== '(') {
      const name = cursor.take(/[A-Za-z_][\w-]*(?:\.[\w-]+)*/y)
      if (name !== null) return name
      throw cursor.fault('there is no key')
    }
    this.#skip(/[=:]/)
    return null
  }

  /** A text in quotes; null for one with expressions. */
  #plainText(): string | null {
    const parts = readQuoted(this.#cursor)
    return parts.every((part) => typeof part === 'string') ? parts.join('') : null
  }

  /** An expression, of which what precedes the cursor is read. */
  #expression(start: number): HclValue {
    const cursor = this.#cursor
    this.#skip(/[\n,}\])]/)
    if (cursor.at === start) throw cursor.fault('a value is missing')
    return expressionOf(cursor.text.slice(start, cursor.at), start)
  }

  /** Skips up to one of these characters outside of brackets and texts. */
  #skip(end: RegExp): void {
    const cursor = this.#cursor
    const start = cursor.at
    for (let depth = 0; !cursor.isAtEnd;) {
      if (depth === 0) cursor.skipBlanksOfLine()
      else cursor.skipBlanks()
      const { char } = cursor
      if (depth === 0 && end.test(char)) return
      if (char === '"') readQuoted(cursor)
      else if (/^<<-?[A-Za-z_]/.test(cursor.text.slice(cursor.at, cursor.at + 4))) readHeredoc(cursor)
      else {
        if (/[[({]/.test(char)) depth += 1
        if (/[\])}]/.test(char)) depth -= 1
        if (depth < 0) throw cursor.fault('a bracket closes nothing')
        cursor.at += 1
      }
    }
    if (/[[({]/.test(cursor.text.charAt(start))) throw cursor.fault('a bracket has no end', start)
  }
}
