/**
 * A JSON value that keeps what JSON.parse loses: the order of members, all digits of integers, and whether a number has
 * a fraction. Integers are bigint, other numbers are number, objects are Map.
 */
export type JsonNode = null | boolean | string | bigint | number | readonly JsonNode[] | ReadonlyMap<string, JsonNode>

/** @throws SyntaxError with the position, for text that is not one JSON document within the limits below */
export function parseJson(text: string): JsonNode {
  return new JsonParser(text).document()
}

/** The limits of Jackson, which Debezium uses. */
const DEPTH_MAX = 1000
const NUMBER_CHARACTERS_MAX = 1000

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const SPACE = /[ \t\r\n]*/y
const LITERALS: readonly (readonly [text: string, value: JsonNode])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class JsonParser {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonNode {
    const node = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#error('the document ends before')
    return node
  }

  #value(): JsonNode {
    this.#skipSpace()
    const first = this.#text[this.#at]
    if (first === '{' || first === '[') {
      if (this.#depth === DEPTH_MAX) throw this.#error(`more than ${DEPTH_MAX} levels`)
      this.#depth += 1
      const node = first === '{' ? this.#object() : this.#array()
      this.#depth -= 1
      return node
    }
    return first === '"' ? this.#string() : this.#scalar()
  }

  #object(): JsonNode {
    const members = new Map<string, JsonNode>()
    this.#at += 1
    if (this.#isNext('}')) return members
    do {
      this.#skipSpace()
      if (this.#text[this.#at] !== '"') throw this.#error('a name is expected')
      const name = this.#string()
      if (!this.#isNext(':')) throw this.#error('a colon is expected')
      members.set(name, this.#value())
    } while (this.#isNext(','))
    if (!this.#isNext('}')) throw this.#error('a comma or brace is expected')
    return members
  }

  #array(): JsonNode {
    const items: JsonNode[] = []
    this.#at += 1
    if (this.#isNext(']')) return items
    do items.push(this.#value())
    while (this.#isNext(','))
    if (!this.#isNext(']')) throw this.#error('a comma or bracket is expected')
    return items
  }

  #string(): string {
    const start = this.#at
    let end = start + 1
    for (;;) {
      const character = this.#text.charCodeAt(end)
      if (character === QUOTE) break
      if (Number.isNaN(character)) throw this.#error('a text without end')
      end += character === BACKSLASH ? 2 : 1
    }
    this.#at = end + 1
    // It decodes escapes and refuses control characters.
    return JSON.parse(this.#text.slice(start, end + 1)) as string
  }

  #scalar(): JsonNode {
    for (const [literal, value] of LITERALS) {
      if (!this.#text.startsWith(literal, this.#at)) continue
      this.#at += literal.length
      return value
    }
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.#text)
    if (match === null) throw this.#error('a value is expected')
    const [digits, fraction, exponent] = match
    if (digits.length > NUMBER_CHARACTERS_MAX) throw this.#error(`a number of ${digits.length} characters`)
    this.#at += digits.length
    return fraction === undefined && exponent === undefined ? BigInt(digits) : Number(digits)
  }

  #isNext(character: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at
    SPACE.exec(this.#text)
    this.#at = SPACE.lastIndex
  }

  #error(reason: string): SyntaxError {
    return new SyntaxError(`${reason} at character ${this.#at}`)
  }
}

const QUOTE = 34
const BACKSLASH = 92
