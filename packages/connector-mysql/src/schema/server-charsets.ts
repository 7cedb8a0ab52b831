import { charsetOfCollation, type CharsetOptions, type SetVariables } from '@tributary/mysql'
import { charsetOf } from './create-table.ts'

/** Default charsets of a server and its databases, as statements change them. */
export class ServerCharsets {
  readonly #byDatabase = new Map<string, string>()
  readonly #isCaseInsensitive: boolean
  #server: string | null

  /** @param server null when unknown */
  constructor(server: string | null, isCaseInsensitive: boolean) {
    this.#server = server
    this.#isCaseInsensitive = isCaseInsensitive
  }

  get server(): string | null {
    return this.#server
  }

  /** The known default charsets of databases. */
  get databases(): readonly (readonly [database: string, charset: string])[] {
    return [...this.#byDatabase]
  }

  /** Replaces all that is known. */
  restore(server: string | null, databases: readonly (readonly [database: string, charset: string])[] = []): void {
    this.#server = server
    this.#byDatabase.clear()
    for (const [database, charset] of databases) this.set(database, charset)
  }

  /** Default charset of a database; null when unknown. */
  of(database: string): string | null {
    return this.#byDatabase.get(this.#key(database)) ?? null
  }

  set(database: string, charset: string): void {
    this.#byDatabase.set(this.#key(database), charset)
  }

  /** @param server default charset of the session that creates it; null: that of the server */
  create(database: string, options: CharsetOptions, server: string | null): void {
    const serverCharset = server ?? this.#server
    const charset = charsetOf(options, serverCharset) ?? serverCharset
    if (charset === null) this.#byDatabase.delete(this.#key(database))
    else this.set(database, charset)
  }

  alter(database: string, options: CharsetOptions): void {
    const charset = charsetOf(options, this.#server)
    if (charset !== null) this.set(database, charset)
  }

  drop(database: string): void {
    this.#byDatabase.delete(this.#key(database))
  }

  /**
   * Applies the variables that define default charsets of the server and of the current database.
   *
   * @returns true when there is such a variable
   */
  assign(variables: SetVariables['variables'], currentDatabase: string | null): boolean {
    let isAboutCharsets = false
    for (const { name, value } of variables) {
      const charset = name.startsWith('character_set_') ? value.toLowerCase() : charsetOfCollation(value)
      const isServer = name === 'character_set_server' || name === 'collation_server'
      const isDatabase = name === 'character_set_database' || name === 'collation_database'
      if (!isServer && !isDatabase) continue
      isAboutCharsets = true
      if (charset === null || charset === '') continue
      if (isServer) this.#server = charset
      else if (currentDatabase !== null) this.set(currentDatabase, charset)
    }
    return isAboutCharsets
  }

  #key(database: string): string {
    return this.#isCaseInsensitive ? database.toLowerCase() : database
  }
}
