import { present } from '@tributary/support'
import { describeCharacter, endOfInput, JsonInput } from './json-input.ts'
import type { JsonError } from './json-error.ts'
import { describeNestingDepth, nestingDepthMax } from './json-limits.ts'
import { readNumber, signError } from './json-number.ts'
import { readName, readString } from './json-string.ts'
import type { JsonToken } from './json-token.ts'
import { canStartIdentifier, expectWord, nonStandardError, unknownTokenError, valueError } from './json-word.ts'

/** An open object or array. */
interface Scope {
  readonly isObject: boolean
  /** Offset of its opening bracket. */
  readonly start: number
  hasEntry: boolean
}

/**
 * Reads a document token by token, as the JSON library of Kafka Connect 4.3 (Jackson 2.21) does: what it accepts, what it
 * refuses, the words of its errors and the places that they name.
 *
 * The order in which things are noticed is part of that. The token after a name is read together with the name, so that
 * its errors come before anything is done with the name; but the text of a string is only read when it is asked for.
 * `string()` must therefore be called for every VALUE_STRING before the next token.
 */
export class JsonTokenizer {
  readonly input: JsonInput
  /** Name of the property that was read last. */
  name = ''
  /** Offset of the first byte of the last token; of a name, that of its value. */
  tokenStart = 0
  readonly #scopes: Scope[] = []
  #valueAfterName: JsonToken | null = null

  constructor(body: Buffer) {
    this.input = new JsonInput(body)
  }

  /** The next token, or null at the end of the document. */
  next(): JsonToken | null {
    const token = this.#valueAfterName === null ? this.#readToken() : this.#takeValueAfterName(this.#valueAfterName)
    this.input.lastToken = token
    return token
  }

  /** The text of the VALUE_STRING that `next` gave. */
  string(): string {
    return readString(this.input)
  }

  /** The text of the number, `true` or `false` that `next` gave, as it stands there. */
  scalar(): string {
    return this.input.asciiSince(this.tokenStart)
  }

  /** Reads over the value whose first token `next` gave, and reports what is wrong in it. */
  readOver(first: JsonToken): void {
    const depth = this.#scopes.length - (first === 'START_OBJECT' || first === 'START_ARRAY' ? 1 : 0)
    for (let token = first; ; token = present(this.next(), 'the end of a value')) {
      if (token === 'VALUE_STRING') this.string()
      if (this.#scopes.length === depth) return
    }
  }

  #takeValueAfterName(token: JsonToken): JsonToken {
    this.#valueAfterName = null
    if (token === 'START_OBJECT' || token === 'START_ARRAY') this.#open(token)
    return token
  }

  #readToken(): JsonToken | null {
    const { input } = this
    const scope = this.#scopes.at(-1)
    let byte = this.#takeAfterSpace()
    if (byte === endOfInput) {
      if (scope === undefined) return null
      const kind = scope.isObject ? 'Object' : 'Array'
      const marker = `(start marker at ${input.describeOffset(scope.start)})`
      throw input.endError(`: expected close marker for ${kind} ${marker}`)
    }
    if (byte === closeObject || byte === closeArray) return this.#close(byte)
    if (scope?.hasEntry === true) {
      if (byte !== comma) throw this.#characterError(byte, `: was expecting comma to separate ${kindOf(scope)} entries`)
      byte = this.#takeInside(scope)
    }
    if (scope !== undefined) scope.hasEntry = true
    if (scope?.isObject === true) return this.#readNameAndValue(byte, scope)
    const token = this.#beginValue(byte)
    if (token === 'START_OBJECT' || token === 'START_ARRAY') this.#open(token)
    return token
  }

  #readNameAndValue(first: number, scope: Scope): JsonToken {
    const { input } = this
    if (first !== quote) {
      const code = input.completeCharacter(first)
      throw input.characterError(code, ': was expecting double-quote to start field name')
    }
    this.name = readName(input)
    input.lastToken = 'FIELD_NAME'
    const colonByte = this.#takeInside(scope)
    if (colonByte !== colon) {
      throw this.#characterError(colonByte, ': was expecting a colon to separate field name and value')
    }
    this.#valueAfterName = this.#beginValue(this.#takeInside(scope))
    return 'FIELD_NAME'
  }

  /** Reads the value that begins with a byte just taken: all of it but a string, and of a bracket nothing more. */
  #beginValue(byte: number): JsonToken {
    const { input } = this
    this.tokenStart = input.position - 1
    switch (byte) {
      case quote:
        return 'VALUE_STRING'
      case openObject:
        return 'START_OBJECT'
      case openArray:
        return 'START_ARRAY'
      case 0x74:
        expectWord(input, 'true', 1)
        return 'VALUE_TRUE'
      case 0x66:
        expectWord(input, 'false', 1)
        return 'VALUE_FALSE'
      case 0x6e:
        expectWord(input, 'null', 1)
        return 'VALUE_NULL'
      default:
        if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return readNumber(input, byte, this.#scopes.length === 0)
        throw this.#valueError(byte)
    }
  }

  #valueError(byte: number): JsonError {
    const { input } = this
    const isInArray = this.#scopes.at(-1)?.isObject === false
    if (byte === comma || byte === closeObject || (byte === closeArray && isInArray)) {
      return this.#characterError(byte, ': expected a value')
    }
    if (byte === 0x4e) return nonStandardError(input, 'NaN', 1)
    if (byte === 0x49) return nonStandardError(input, 'Infinity', 1)
    if (byte === 0x2b) {
      const next = input.take()
      return next === endOfInput ? input.endError(' in a Number value') : signError(input, byte, next)
    }
    const code = input.characterOf(byte)
    if (canStartIdentifier(code)) return unknownTokenError(input, this.tokenStart, String.fromCharCode(code))
    return valueError(input, code)
  }

  #open(token: 'START_OBJECT' | 'START_ARRAY'): void {
    this.#scopes.push({ isObject: token === 'START_OBJECT', start: this.tokenStart, hasEntry: false })
    const depth = this.#scopes.length
    if (depth > nestingDepthMax) throw this.input.error(describeNestingDepth(depth))
  }

  #close(byte: number): JsonToken {
    const { input } = this
    const scope = this.#scopes.pop()
    const isObject = byte === closeObject
    const marker = `Unexpected close marker '${isObject ? '}' : ']'}'`
    if (scope === undefined) {
      throw input.error(`${marker}: no open ${isObject ? 'Object' : 'Array'} to close`, input.position - 1)
    }
    if (scope.isObject !== isObject) {
      const start = `(for ${kindOf(scope)} starting at ${input.describeOffset(scope.start)})`
      throw input.error(`${marker}: expected '${scope.isObject ? '}' : ']'}' ${start}`, input.position - 1)
    }
    this.tokenStart = input.position - 1
    return isObject ? 'END_OBJECT' : 'END_ARRAY'
  }

  /** Takes the next byte that is not white space, where the document must not end. */
  #takeInside(scope: Scope): number {
    const byte = this.#takeAfterSpace()
    if (byte === endOfInput) throw this.input.endError(` within/between ${kindOf(scope)} entries`)
    return byte
  }

  #takeAfterSpace(): number {
    const { input } = this
    let byte = input.take()
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = input.take()
    if (byte === 0x2f) {
      const hint = "(not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)"
      throw input.characterError(byte, `: maybe a (non-standard) comment? ${hint}`)
    }
    if (byte >= 0 && byte < 0x20) {
      const problem = `Illegal character (${describeCharacter(byte)})`
      throw input.error(
        `${problem}: only regular white space (\\r, \\n, \\t) is allowed between tokens`,
        input.position,
      )
    }
    return byte
  }

  #characterError(byte: number, expectation: string): JsonError {
    return this.input.characterError(this.input.characterOf(byte), expectation)
  }
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

function kindOf(scope: Scope): 'Object' | 'Array' {
  return scope.isObject ? 'Object' : 'Array'
}
