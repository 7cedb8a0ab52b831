import type { ConfigMap } from '@tributary/connect-api'
import { TableId } from '@tributary/connector-kit'

const LIST = 'snapshot.select.statement.overrides'

/**
 * The statements of `snapshot.select.statement.overrides`, by the name of the table. A table may be listed with quoted
 * names; its property then has the same form.
 */
export function snapshotOverrides(config: ConfigMap): ReadonlyMap<string, string> {
  const statements = new Map<string, string>()
  for (const table of listed(config)) {
    const statement = config[`${LIST}.${table}`]?.trim() ?? ''
    if (statement !== '') statements.set(TableId.parse(table).toString(), withoutEnd(statement))
  }
  return statements
}

/** Tables without a statement, and statements without a table: neither has an effect. */
export function overrideWarnings(config: ConfigMap): readonly { readonly name: string; readonly reason: string }[] {
  const tables = listed(config)
  const bare = tables.filter((table) => (config[`${LIST}.${table}`]?.trim() ?? '') === '')
  const others = Object.keys(config).filter(
    (name) => name.startsWith(`${LIST}.`) && !tables.includes(name.slice(LIST.length + 1)),
  )
  return [
    ...bare.map((table) => ({
      name: LIST,
      reason: `names ${table}, but ${LIST}.${table} has no statement: all rows of that table are read`,
    })),
    ...others.map((name) => ({
      name,
      reason: `has no effect: ${LIST} does not name the table ${name.slice(LIST.length + 1)}`,
    })),
  ]
}

function listed(config: ConfigMap): readonly string[] {
  return (config[LIST] ?? '')
    .split(',')
    .map((table) => table.trim())
    .filter((table) => table !== '')
}

/** The server would take what follows a semicolon for another statement. */
function withoutEnd(statement: string): string {
  return statement.replace(/(?:\s*;)+$/, '')
}
