import { type ConnectValue, Schema, Schemas } from '@tributary/connect-api'
import { aligned, commonSchema } from './common-schema.ts'
import { LiteralError } from './literal-error.ts'
import { isBlank, LiteralTokens } from './literal-tokens.ts'
import { type Literal, numberLiteral, temporalLiteral } from './scalar-literal.ts'

/**
 * The value that Connect reads from a text (Values.parseString): a number, truth value, date, list or map where the text
 * has the form of one, otherwise the text.
 *
 *     5            int8 5
 *     [1, 2]       list of int8
 *     {"a": 1}     map of string to int8
 *     abc          string
 */
export function parseLiteral(text: string): Literal {
  if (text === '') return { schema: Schemas.string, value: '' }
  const literal = new LiteralParser(text).parse(0)
  if (literal === null) return { schema: null, value: null }
  const isFloat = literal.schema?.type === 'float' && typeof literal.value === 'number'
  return isFloat ? { schema: literal.schema, value: Math.fround(Number(literal.value)) } : literal
}

class LiteralParser {
  readonly #tokens: LiteralTokens

  constructor(text: string) {
    this.#tokens = new LiteralTokens(text)
  }

  /** `depth`: 0 is the whole text. Null: a null, or nothing. @throws LiteralError within a list or map */
  parse(depth: number): Literal | null {
    const tokens = this.#tokens
    if (!tokens.hasNext) return null
    if (depth > 0 && tokens.takeIf('"')) return this.#quoted()
    if (this.#isWord('null', depth)) return null
    if (this.#isWord('true', depth)) return { schema: Schemas.boolean, value: true }
    if (this.#isWord('false', depth)) return { schema: Schemas.boolean, value: false }
    const start = tokens.mark()
    try {
      if (tokens.takeIf('[')) return this.#list(depth + 1)
      if (tokens.takeIf('{')) return this.#map(depth + 1)
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error
      tokens.rewind(start)
    }
    const token = tokens.take()
    if (isBlank(token)) return { schema: Schemas.string, value: token }
    return this.#scalar(token.trim(), depth)
  }

  /** The whole text must be the word; within a list or map, only the token. */
  #isWord(word: string, depth: number): boolean {
    const start = this.#tokens.mark()
    if (this.#tokens.takeIf(word) && (depth > 0 || !this.#tokens.hasNext)) return true
    this.#tokens.rewind(start)
    return false
  }

  #scalar(token: string, depth: number): Literal {
    const isDigit = /^\p{Nd}/u.test(token)
    const temporal = isDigit ? this.#temporal(token) : null
    if (temporal !== null) return temporal
    const number = isDigit || /^[+-]/.test(token) ? numberLiteral(token) : null
    if (number !== null) return number
    if (depth > 0) throw new LiteralError('a text without quotes')
    return { schema: Schemas.string, value: this.#tokens.original }
  }

  /** A time has colons, so that it is five tokens. */
  #temporal(token: string): Literal | null {
    const start = this.#tokens.mark()
    const rest = this.#tokens.takeMany(4)
    const long = rest === null ? null : temporalLiteral(token + rest)
    if (long !== null) return long
    this.#tokens.rewind(start)
    return temporalLiteral(token)
  }

  #quoted(): Literal {
    let content = ''
    while (this.#tokens.hasNext && !this.#tokens.takeIf('"')) content += this.#tokens.take()
    return temporalLiteral(content) ?? { schema: Schemas.string, value: content }
  }

  #list(depth: number): Literal {
    checkDepth(depth)
    const tokens = this.#tokens
    const items: (Literal | null)[] = []
    while (tokens.hasNext) {
      if (tokens.takeIf(']')) return listOf(items)
      if (tokens.takeIf(',')) throw new LiteralError('an empty element')
      items.push(this.parse(depth))
      const position = tokens.mark()
      if (tokens.takeIf(']')) tokens.rewind(position)
      else if (!tokens.takeIf(',')) throw new LiteralError('no comma')
    }
    throw new LiteralError('no end of the list')
  }

  #map(depth: number): Literal {
    checkDepth(depth)
    const tokens = this.#tokens
    const keys: Literal[] = []
    const values: (Literal | null)[] = []
    while (tokens.hasNext) {
      if (tokens.takeIf('}')) return mapOf(keys, values)
      if (tokens.takeIf(',')) throw new LiteralError('an empty entry')
      const key = this.parse(depth)
      if (key === null || key.value === null) throw new LiteralError('a key that is null')
      if (!tokens.takeIf(':')) throw new LiteralError('no colon')
      keys.push(key)
      values.push(this.parse(depth))
      tokens.takeIf(',')
    }
    throw new LiteralError('no end of the map')
  }
}

function listOf(items: readonly (Literal | null)[]): Literal {
  const schema = commonSchema(items)
  if (schema === null) return { schema: null, value: items.map((item) => item?.value ?? null) }
  return { schema: Schema.array(schema), value: items.map((item) => aligned(item, schema)) }
}

function mapOf(keys: readonly Literal[], values: readonly (Literal | null)[]): Literal {
  const keySchema = commonSchema(keys)
  const valueSchema = commonSchema(values)
  const isTyped = keySchema !== null && valueSchema !== null
  const entries = keys.map((key, i): readonly [ConnectValue, ConnectValue] => {
    const value = values[i] ?? null
    return isTyped ? [aligned(key, keySchema), aligned(value, valueSchema)] : [key.value, value?.value ?? null]
  })
  return { schema: isTyped ? Schema.map(keySchema, valueSchema) : null, value: new Map(entries) }
}

function checkDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw new LiteralError('too many levels')
}

/** Nobody types more; each level takes stack. */
const DEPTH_MAX = 100
