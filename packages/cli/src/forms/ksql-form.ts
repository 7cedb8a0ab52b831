import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'
import { type KsqlToken, ksqlTokens } from './ksql-tokens.ts'
import { numberText } from './number-text.ts'

/**
 * The statements `CREATE SOURCE CONNECTOR [IF NOT EXISTS] name WITH ('property' = value, …);` of ksqlDB. Other
 * statements are not read.
 */
export function readKsql(text: string): readonly FormDocument[] {
  const statements = splitStatements(ksqlTokens(text))
  const connectors = statements.filter((tokens) => isConnector(tokens))
  const others = statements.length - connectors.length
  if (connectors.length === 0) throw new FormError('it has no statement CREATE SOURCE CONNECTOR')
  const skipped = others === 0 ? [] : [`Of the file, ${others} other statement(s) are not read.`]
  return connectors.map((tokens, index) => {
    const document = new Statement(tokens).read()
    return { ...document, notes: [...(index === 0 ? skipped : []), ...(document.notes ?? [])] }
  })
}

function splitStatements(tokens: readonly KsqlToken[]): readonly (readonly KsqlToken[])[] {
  const statements: KsqlToken[][] = [[]]
  for (const token of tokens) {
    if (token.tag === 'sign' && token.text === ';') statements.push([])
    else statements.at(-1)?.push(token)
  }
  return statements.filter((statement) => statement.length > 0)
}

function isConnector(tokens: readonly KsqlToken[]): boolean {
  return ['CREATE', 'SOURCE', 'CONNECTOR'].every((word, index) => isWord(tokens[index], word))
}

function isWord(token: KsqlToken | undefined, word: string): boolean {
  return token?.tag === 'word' && token.text.toUpperCase() === word
}

/** Reads one statement from left to right. */
class Statement {
  readonly #tokens: readonly KsqlToken[]
  #at = 3

  constructor(tokens: readonly KsqlToken[]) {
    this.#tokens = tokens
  }

  read(): FormDocument {
    const isOnlyForNew = isWord(this.#next, 'IF')
    if (isOnlyForNew) for (const word of ['IF', 'NOT', 'EXISTS']) this.#word(word)
    const { tag, text } = this.#take('the name of the connector', 'word', 'name')
    const name = tag === 'word' ? text.toUpperCase() : text
    const notes = name === text ? [] : [`The name without quotes is ${name}, as in ksqlDB.`]
    this.#word('WITH')
    const config = new Map<string, string>()
    this.#sign('(')
    do this.#property(config)
    while (this.#takesSign(','))
    this.#sign(')')
    if (this.#next !== undefined) throw this.#expected('a semicolon')
    return { name, config: Object.fromEntries(config), isOnlyForNew, isNameFixed: true, notes }
  }

  #property(config: Map<string, string>): void {
    const key = this.#take('a property in quotes', 'text', 'name', 'word')
    if (key.tag === 'word') {
      throw new FormError(`ksqlDB turns the property ${key.text} into capitals; write it in quotes`, key.at)
    }
    if (config.has(key.text)) throw new FormError(`the property ${key.text} occurs twice`, key.at)
    this.#sign('=')
    const value = this.#value(key.text)
    if (key.text !== 'name') config.set(key.text, value)
  }

  #value(property: string): string {
    const isNegative = this.#takesSign('-')
    const token = this.#take(`the value of ${property}`, 'text', 'number', 'word')
    const { at } = token
    if (token.tag === 'number') {
      const text = numberText(token.text)
      if (text === null) throw new FormError(`the number of ${property} has several spellings; write it in quotes`, at)
      return isNegative ? `-${text}` : text
    }
    if (isNegative) throw new FormError(`the value of ${property} is not a number`, at)
    if (token.tag === 'text') {
      if (!VARIABLE.test(token.text)) return token.text
      throw new FormError(
        `the value of ${property} contains a variable of ksqlDB; write its value, or a reference to a config provider`,
        at,
      )
    }
    const word = token.text.toLowerCase()
    if (word === 'true' || word === 'false') return word
    throw new FormError(`the value of ${property} is not a text in quotes, a number, TRUE or FALSE`, at)
  }

  get #next(): KsqlToken | undefined {
    return this.#tokens[this.#at]
  }

  #take(what: string, ...tags: readonly KsqlToken['tag'][]): KsqlToken {
    const token = this.#next
    if (token === undefined || !tags.includes(token.tag)) throw this.#expected(what)
    this.#at += 1
    return token
  }

  #word(word: string): void {
    if (!isWord(this.#next, word)) throw this.#expected(word)
    this.#at += 1
  }

  #sign(sign: string): void {
    if (!this.#takesSign(sign)) throw this.#expected(sign)
  }

  #takesSign(sign: string): boolean {
    if (this.#next?.tag !== 'sign' || this.#next.text !== sign) return false
    this.#at += 1
    return true
  }

  #expected(what: string): FormError {
    const at = this.#next?.at ?? this.#tokens.at(-1)?.at ?? null
    return new FormError(`the statement CREATE SOURCE CONNECTOR does not have ${what} here`, at)
  }
}

/** `${name}`; a reference to a config provider has a colon. */
const VARIABLE = /\$\{[A-Za-z_]\w*\}/
