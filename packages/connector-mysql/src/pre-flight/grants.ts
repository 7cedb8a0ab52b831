/** One line of SHOW GRANTS that grants or revokes privileges on databases or tables. */
interface Grant {
  readonly isRevoke: boolean
  /** Upper case, without those on single columns. */
  readonly privileges: ReadonlySet<string>
  /** `*`, or a pattern of database names, with `%`, `_` and `\` as in LIKE. */
  readonly database: string
  /** `*`, or a table. */
  readonly table: string
}

/**
 * The privileges of a user, from SHOW GRANTS (manual page "SHOW GRANTS Statement"). They include those of active roles:
 * MySQL merges them into the user's own lines, MariaDB prints lines of the role.
 */
export class Grants {
  readonly #grants: readonly Grant[]

  /** @param lines of SHOW GRANTS for the current user */
  constructor(lines: readonly string[]) {
    this.#grants = lines.map(parseGrant).filter((grant) => grant !== null)
  }

  /** On `*.*`. With partial revokes, single databases may be excepted. */
  hasGlobal(...anyOf: readonly string[]): boolean {
    return this.#grants.some(
      (grant) => !grant.isRevoke && grant.database === '*' && anyOf.some((privilege) => permits(grant, privilege)),
    )
  }

  /** On all tables of a database. False is not final, since columns may have grants of their own: a SELECT decides. */
  hasOnDatabase(privilege: string, database: string): boolean {
    return this.#has(privilege, database, null)
  }

  hasOnTable(privilege: string, database: string, table: string): boolean {
    return this.#has(privilege, database, table)
  }

  #has(privilege: string, database: string, table: string | null): boolean {
    const concerned = this.#grants.filter((grant) => permits(grant, privilege))
    const isRevoked = concerned.some((grant) => grant.isRevoke && grant.database === database)
    return concerned.some(
      (grant) =>
        !grant.isRevoke &&
        (grant.table === '*'
          ? grant.database === '*'
            ? !isRevoked
            : isLike(database, grant.database)
          : grant.database === database && grant.table === table),
    )
  }
}

function permits({ privileges }: Grant, privilege: string): boolean {
  return privileges.has(privilege) || privileges.has('ALL PRIVILEGES')
}

/**
 * GRANT privilege[ (columns)][, …] ON database.table TO …, or REVOKE … ON … FROM …. It does not match roles
 * (GRANT role TO …), PROXY and routines.
 */
const LINE = /^(GRANT|REVOKE) (.+?) ON (?:TABLE )?(\*|`(?:[^`]|``)*`)\.(\*|`(?:[^`]|``)*`) (?:TO|FROM) /

function parseGrant(line: string): Grant | null {
  const [, verb, privileges = '', database = '', table = ''] = LINE.exec(line) ?? []
  if (verb === undefined) return null
  return {
    isRevoke: verb === 'REVOKE',
    privileges: new Set(splitPrivileges(privileges)),
    database: unquoted(database),
    table: unquoted(table),
  }
}

function splitPrivileges(text: string): readonly string[] {
  // Commas also separate the columns of one privilege.
  const withoutColumns = text.replaceAll(/[A-Z ]+\((?:`(?:[^`]|``)*`|[^)`])*\)/g, '')
  return withoutColumns
    .split(',')
    .map((privilege) => privilege.trim().toUpperCase())
    .filter((privilege) => privilege !== '')
}

function unquoted(name: string): string {
  return name === '*' ? name : name.slice(1, -1).replaceAll('``', '`')
}

function isLike(name: string, pattern: string): boolean {
  const regex = pattern.replaceAll(
    /\\(.)|([%_])|([.*+?^${}()|[\]\\])/gs,
    (_, escaped?: string, wild?: string, special?: string) => {
      if (wild !== undefined) return wild === '%' ? '.*' : '.'
      const letter = escaped ?? special ?? ''
      return /\w/.test(letter) ? letter : `\\${letter}`
    },
  )
  return new RegExp(`^${regex}$`, 's').test(name)
}
