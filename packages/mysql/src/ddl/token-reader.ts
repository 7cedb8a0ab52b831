import { present } from '@tributary/support'
import { DdlSyntaxError } from './errors.ts'
import { Lexer } from './lexer.ts'
import type { DdlOptions } from './options.ts'
import type { TableName } from './statement.ts'
import type { Token } from './token.ts'

/**
 * The parser's hold on a statement: looks ahead, takes tokens, and says what was expected when it cannot go on.
 *
 * Words are matched in upper case and only when unquoted, so a quoted name never passes for a keyword.
 */
export class TokenReader {
  readonly options: DdlOptions
  /** Tables that the statement changes, as soon as they are read: an error carries them. */
  readonly changedTables: TableName[] = []
  readonly #sql: string
  readonly #lexer: Lexer
  /** Tokens read so far; as many as the parser has looked at. */
  readonly #tokens: Token[] = []
  #index = 0
  #textStart: number

  constructor(sql: string, options: DdlOptions) {
    this.options = options
    this.#sql = sql
    this.#lexer = new Lexer(sql, options)
    const { start } = this.peek()
    this.#textStart = this.#lexer.executedCommentStart >= 0 ? this.#lexer.executedCommentStart : start
  }

  peek(ahead = 0): Token {
    const index = this.#index + ahead
    while (this.#tokens.length <= index) this.#tokens.push(this.#lexer.next())
    return present(this.#tokens[index], 'a token')
  }

  next(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.#index++
    return token
  }

  /** True: nothing but perhaps a semicolon follows. */
  get isAtEnd(): boolean {
    const token = this.peek()
    return token.kind === 'end' || token.keyword === ';'
  }

  /** True: these keywords or symbols follow, one after the other. */
  is(...keywords: string[]): boolean {
    for (let i = 0; i < keywords.length; i++) if (this.peek(i).keyword !== keywords[i]) return false
    return true
  }

  /** Takes these keywords if all of them follow. */
  accept(...keywords: string[]): boolean {
    if (!this.is(...keywords)) return false
    this.#index += keywords.length
    return true
  }

  /** Takes the next token if it is one of these keywords; null when it is not. */
  acceptAny(...keywords: string[]): string | null {
    const { keyword } = this.peek()
    if (keyword === '' || !keywords.includes(keyword)) return null
    this.#index++
    return keyword
  }

  expect(...keywords: string[]): void {
    if (!this.accept(...keywords)) this.fail(keywords.join(' '))
  }

  /** Takes one token of any kind. */
  skip(): void {
    this.next()
  }

  /**
   * A name, quoted or not. Any unquoted word is one: which words are reserved differs between versions, and a statement out
   * of a binlog has passed its server. A double-quoted string is taken as well, for a session whose ANSI_QUOTES is unknown.
   */
  name(what: string): string {
    const token = this.peek()
    const isName =
      token.kind === 'word' ||
      token.kind === 'name' ||
      (token.kind === 'string' && this.#sql.charAt(token.start) === '"')
    if (!isName) this.fail(what)
    this.#index++
    return token.value
  }

  /** `table`, `database.table`, or `.table`, an old form without database. */
  tableName(): TableName {
    if (this.accept('.')) return { database: null, table: this.name('a table name') }
    const first = this.name('a table name')
    return this.accept('.') ? { database: first, table: this.name('a table name') } : { database: null, table: first }
  }

  /** A table that the statement changes. */
  changedTable(): TableName {
    const table = this.tableName()
    this.changedTables.push(table)
    return table
  }

  /** A column name; qualifiers before it are dropped. */
  columnName(): string {
    let name = this.name('a column name')
    while (this.accept('.')) name = this.name('a column name')
    return name
  }

  /** A word, name or string as a value: of a charset, an engine, a number. */
  value(what: string): string {
    const token = this.peek()
    if (token.kind === 'symbol' || token.kind === 'end') this.fail(what)
    this.#index++
    return token.value
  }

  /** String literals side by side are one (`'a' 'b'`). */
  string(what: string): string {
    if (this.peek().kind !== 'string') this.fail(what)
    let value = this.next().value
    while (this.peek().kind === 'string') value += this.next().value
    return value
  }

  acceptIfExists(): boolean {
    return this.accept('IF', 'EXISTS')
  }

  acceptIfNotExists(): boolean {
    return this.accept('IF', 'NOT', 'EXISTS')
  }

  /** Skips a run in parentheses, the next token being the opening one; gives its text with them. */
  skipParentheses(): string {
    const { start } = this.peek()
    this.expect('(')
    for (let depth = 1; depth > 0;) {
      const token = this.next()
      if (token.kind === 'end') this.fail(')')
      if (token.keyword === '(') depth++
      else if (token.keyword === ')') depth--
    }
    return this.#sql.slice(start, this.#end())
  }

  /** Skips up to one of these keywords, to a closing parenthesis that was opened before, or to the end. */
  skipUntil(...keywords: string[]): void {
    while (!this.isAtEnd) {
      const { keyword } = this.peek()
      if (keyword === ')' || (keyword !== '' && keywords.includes(keyword))) return
      if (keyword === '(') this.skipParentheses()
      else this.#index++
    }
  }

  /** The statement begins here: what stands before (SET STATEMENT … FOR) is no part of its text. */
  restartText(): void {
    this.#textStart = this.peek().start
  }

  /** The statement's text without comments before it and without the semicolon behind it. */
  text(): string {
    let end = this.#sql.length
    // A regular expression would look at each character of a statement of megabytes.
    while (end > this.#textStart && isTrailing(this.#sql.charCodeAt(end - 1))) end--
    return this.#sql.slice(this.#textStart, end)
  }

  /** Text from an index up to the end of the last token taken. */
  textFrom(start: number): string {
    return this.#sql.slice(start, this.#end())
  }

  /** Text from the statement's beginning up to the next token. */
  textBefore(): string {
    return this.#sql.slice(this.#textStart, this.peek().start)
  }

  /** @throws DdlSyntaxError always */
  fail(expected: string): never {
    const token = this.peek()
    throw new DdlSyntaxError({
      statement: this.#sql,
      offset: token.start,
      expected,
      found: token.kind === 'end' ? 'the end' : this.#sql.slice(token.start, token.end).slice(0, 40),
      tables: this.changedTables,
    })
  }

  #end(): number {
    return this.#index === 0 ? this.#textStart : present(this.#tokens[this.#index - 1], 'the last token').end
  }
}

function isTrailing(code: number): boolean {
  return code <= 0x20 || code === 0x3b
}
