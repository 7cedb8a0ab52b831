import { isUtf8 } from 'node:buffer'
import { isDigit, JsonCursor } from './json-cursor.ts'
import type { JsonError } from './json-error.ts'
import { readNumber } from './json-number.ts'
import { readName, readString } from './json-string.ts'

/** The token with which a value starts. The names are those of Jackson's `JsonToken`: error texts contain them. */
export type JsonToken =
  | 'START_OBJECT'
  | 'START_ARRAY'
  | 'VALUE_STRING'
  | 'VALUE_NUMBER_INT'
  | 'VALUE_NUMBER_FLOAT'
  | 'VALUE_TRUE'
  | 'VALUE_FALSE'
  | 'VALUE_NULL'

/** Jackson's limit for open objects and arrays. */
const nestingDepthMax = 1_000

/** A word. Bytes from 0x80 on belong to letters outside of ASCII. */
const word = /[\w$\u0080-\u00ff]+/y

const space = /[ \t\r\n]*/y

/** An error shows the first bytes of a longer word. */
const shownWordLengthMax = 256

const literals: ReadonlyMap<string, JsonToken> = new Map([
  ['true', 'VALUE_TRUE'],
  ['false', 'VALUE_FALSE'],
  ['null', 'VALUE_NULL'],
])

const valueList = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

interface Scope {
  readonly kind: 'Object' | 'Array'
  /** Offset of the opening bracket. */
  readonly start: number
}

/**
 * Reads a JSON document (RFC 8259) value by value. The caller receives the token of a value and reads the rest of it: a
 * VALUE_STRING with `string`, objects and arrays with `object` and `array`, any value with `skip`. Like Kafka Connect,
 * it can therefore refuse a value before the reader reports a later syntax error.
 */
export class JsonReader {
  readonly cursor: JsonCursor
  /** Offset of the first byte of the last token. */
  tokenStart = 0
  readonly #scopes: Scope[] = []

  constructor(body: Buffer) {
    this.cursor = new JsonCursor(body)
  }

  /**
   * Reads the only value of the document. Null when the document is empty or `null`.
   *
   * @param boundAs the Java class that the error about a second value names
   */
  document<T>(boundAs: string, read: (token: JsonToken) => T): T | null {
    if (this.#skipSpace() === '') return null
    const token = this.#readToken()
    const value = token === 'VALUE_NULL' ? null : read(token)
    if (this.#skipSpace() === '') return value
    const trailing = `Trailing token (of type ${this.#readToken()}) found after value (bound as \`${boundAs}\`)`
    throw this.errorAtToken(`${trailing}: not allowed as per \`DeserializationFeature.FAIL_ON_TRAILING_TOKENS\``)
  }

  /** Reads the members of the object whose START_OBJECT is the last token. */
  object(readMember: (name: string, token: JsonToken) => void): void {
    this.#readEntries({ kind: 'Object', start: this.tokenStart }, '}', () => {
      const { cursor } = this
      if (cursor.peek() !== '"') throw cursor.unexpected(': was expecting double-quote to start field name')
      cursor.position += 1
      const name = readName(cursor)
      if (this.#skipSpace() !== ':') {
        throw cursor.unexpected(': was expecting a colon to separate field name and value')
      }
      cursor.position += 1
      this.#skipSpace()
      readMember(name, this.#readToken())
    })
  }

  /** Reads the items of the array whose START_ARRAY is the last token. */
  array(readItem: (token: JsonToken) => void): void {
    this.#readEntries({ kind: 'Array', start: this.tokenStart }, ']', () => readItem(this.#readToken()))
  }

  /** The text of the VALUE_STRING that is the last token. */
  string(): string {
    return readString(this.cursor)
  }

  /** The text of the number, `true` or `false` that is the last token. */
  scalar(): string {
    return this.cursor.text.slice(this.tokenStart, this.cursor.position)
  }

  /** Reads the rest of a value and ignores it. */
  skip(token: JsonToken): void {
    if (token === 'VALUE_STRING') this.string()
    else if (token === 'START_OBJECT') this.object((_name, member) => this.skip(member))
    else if (token === 'START_ARRAY') this.array((item) => this.skip(item))
  }

  /** Calls `read` with a reference that errors inside of it contain. */
  within<T>(reference: string, read: () => T): T {
    this.cursor.references.push(reference)
    const value = read()
    this.cursor.references.pop()
    return value
  }

  errorAtToken(problem: string): JsonError {
    return this.cursor.error(problem, this.tokenStart)
  }

  #readEntries(scope: Scope, close: string, readEntry: () => void): void {
    const { cursor } = this
    const depth = this.#scopes.push(scope)
    if (depth > nestingDepthMax) {
      throw cursor.limitError('Document nesting depth', depth, nestingDepthMax, 'NestingDepth')
    }
    for (let entries = 0; this.#skipSpace() !== close; entries += 1) {
      if (entries > 0) {
        if (cursor.peek() !== ',') throw cursor.unexpected(`: was expecting comma to separate ${scope.kind} entries`)
        cursor.position += 1
        this.#skipSpace()
      }
      readEntry()
    }
    cursor.position += 1
    this.#scopes.pop()
  }

  /** Reads a number or literal completely, of a string, an object or an array the first character only. */
  #readToken(): JsonToken {
    const { cursor } = this
    const current = cursor.peek()
    this.tokenStart = cursor.position
    if (current === '-' || isDigit(current)) return readNumber(cursor)
    word.lastIndex = cursor.position
    const [text] = word.exec(cursor.text) ?? []
    if (text !== undefined) return this.#readLiteral(text)
    cursor.position += 1
    if (current === '"') return 'VALUE_STRING'
    if (current === '{') return 'START_OBJECT'
    if (current === '[') return 'START_ARRAY'
    cursor.position -= 1
    throw this.#valueError()
  }

  #readLiteral(text: string): JsonToken {
    const { cursor } = this
    cursor.position += text.length
    const token = literals.get(text)
    if (token !== undefined) return token
    if (text === 'NaN' || text === 'Infinity') {
      const hint = 'enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow'
      throw cursor.error(`Non-standard token '${text}': ${hint}`, cursor.position)
    }
    const bytes = Buffer.from(text.slice(0, shownWordLengthMax), 'latin1')
    const start = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    const shown = text.length > shownWordLengthMax ? `${start}...` : start
    throw this.errorAtToken(`Unrecognized token '${shown}': was expecting ${valueList}`)
  }

  /** The error about a character that cannot start a value. */
  #valueError(): JsonError {
    const { cursor } = this
    const { position } = cursor
    const current = cursor.peek()
    if (current === '+') {
      const hint = 'enable `JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow'
      const rule = `JSON spec does not allow numbers to have plus signs: ${hint}`
      return cursor.error(`Unexpected character ('+' (code 43)) in numeric value: ${rule}`, position + 1)
    }
    if ((current === '}' || current === ']') && this.#scopes.length === 0) {
      const kind = current === '}' ? 'Object' : 'Array'
      return cursor.error(`Unexpected close marker '${current}': no open ${kind} to close`, position)
    }
    if (',}]'.includes(current)) return cursor.unexpected(': expected a value')
    return cursor.unexpected(`: expected a valid value ${valueList}`)
  }

  /** Skips white space and returns the next character; an empty text at the end of the document. */
  #skipSpace(): string {
    const { cursor } = this
    // Most values follow a single space or none; a document may also consist of a million.
    if (isSpace(cursor.peek())) {
      space.lastIndex = cursor.position
      cursor.position += space.exec(cursor.text)?.[0].length ?? 0
    }
    const { position } = cursor
    const current = cursor.peek()
    if (current === '/') {
      const hint = "(not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)"
      throw cursor.unexpected(`: maybe a (non-standard) comment? ${hint}`)
    }
    const scope = this.#scopes.at(-1)
    if (current === '' && scope !== undefined) {
      const start = `(start marker at ${cursor.describeOffset(scope.start)})`
      throw cursor.unexpected(`: expected close marker for ${scope.kind} ${start}`)
    }
    if (current !== '' && current < ' ') {
      const problem = `Illegal character (${cursor.describeCurrent().description})`
      const rule = 'only regular white space (\\r, \\n, \\t) is allowed between tokens'
      throw cursor.error(`${problem}: ${rule}`, position + 1)
    }
    return current
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}
