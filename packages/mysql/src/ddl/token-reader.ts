import { present } from '@tributary/support'
import { DdlSyntaxError } from './errors.ts'
import { Lexer } from './lexer.ts'
import type { DdlOptions } from './options.ts'
import type { TableName } from './statement.ts'
import type { Token } from './token.ts'

/**
 * The parser's view of a statement: looks ahead, takes tokens, and fails with the expected token.
 *
 * Keywords match unquoted words only, in upper case, so a quoted name is never taken for a keyword.
 */
export class TokenReader {
  readonly options: DdlOptions
  /** Tables that the statement changes, as far as they have been read; an error names them. */
  readonly changedTables: TableName[] = []
  readonly #sql: string
  readonly #lexer: Lexer
  /** Tokens that the parser has looked at so far. */
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

  /** True when nothing follows, or only a semicolon. */
  get isAtEnd(): boolean {
    const token = this.peek()
    return token.kind === 'end' || token.keyword === ';'
  }

  /** True when these keywords or symbols follow, in this order. */
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

  /** Takes the next token and returns it if it is one of these keywords; returns null otherwise. */
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
   * Takes a name, quoted or not. Every unquoted word counts: versions differ in their reserved words, and the server
   * has already accepted a statement of the binlog. A double-quoted string also counts, for sessions whose ANSI_QUOTES
   * is unknown.
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

  /** Takes `table`, `database.table`, or `.table`, an old form without database. */
  tableName(): TableName {
    if (this.accept('.')) return { database: null, table: this.name('a table name') }
    const first = this.name('a table name')
    return this.accept('.') ? { database: first, table: this.name('a table name') } : { database: null, table: first }
  }

  /** Takes the name of a table that the statement changes. */
  changedTable(): TableName {
    const table = this.tableName()
    this.changedTables.push(table)
    return table
  }

  /** Takes the name of a column, without its qualifiers. */
  columnName(): string {
    let name = this.name('a column name')
    while (this.accept('.')) name = this.name('a column name')
    return name
  }

  /** Takes a word, name, string or number as a value: of a charset, an engine, a length. */
  value(what: string): string {
    const token = this.peek()
    if (token.kind === 'symbol' || token.kind === 'end') this.fail(what)
    this.#index++
    return token.value
  }

  /** Takes a string; adjacent literals are one (`'a' 'b'`). */
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

  /** Skips a group in parentheses, whose opening one is the next token. Returns its text with the parentheses. */
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

  /** Skips to one of these keywords, to the closing parenthesis of an enclosing group, or to the end. */
  skipUntil(...keywords: string[]): void {
    while (!this.isAtEnd) {
      const { keyword } = this.peek()
      if (keyword === ')' || (keyword !== '' && keywords.includes(keyword))) return
      if (keyword === '(') this.skipParentheses()
      else this.#index++
    }
  }

  /** Makes the text of the statement start at the next token, after SET STATEMENT … FOR. */
  restartText(): void {
    this.#textStart = this.peek().start
  }

  /** The text of the statement without preceding comments and without the final semicolon. */
  text(): string {
    let end = this.#sql.length
    // A regular expression anchored at the end would still scan the whole statement, which may have megabytes.
    while (end > this.#textStart && isTrailing(this.#sql.charCodeAt(end - 1))) end--
    return this.#sql.slice(this.#textStart, end)
  }

  /** The text from an index to the end of the last token that was taken. */
  textFrom(start: number): string {
    return this.#sql.slice(start, this.#end())
  }

  /** The text from the start of the statement to the next token. */
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
