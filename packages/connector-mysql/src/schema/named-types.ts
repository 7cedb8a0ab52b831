import type { Column, TableId } from '@tributary/connector-kit'
import type { MySqlTable } from './mysql-table.ts'

/*
 * Debezium distinguishes BOOLEAN from TINYINT(1) and REAL from DOUBLE in the statements that it streams. The server does
 * not: SHOW CREATE TABLE prints the second name of each pair, which is also what Tributary derives from a statement. A
 * schema history that Debezium began may have either. The topics have the schemas that belong to its names, so the names
 * stay until a statement gives the column another type.
 */

/** Numbers of java.sql.Types that only Debezium writes. */
const BOOLEAN = 16
const REAL = 7

/** A column that the schema history has as BOOLEAN: its values are booleans. */
export function isNamedBoolean({ jdbcType }: Column): boolean {
  return jdbcType === BOOLEAN
}

/** A column that the schema history has as REAL: its values are floats, which the server stores as doubles. */
export function isNamedReal({ jdbcType }: Column): boolean {
  return jdbcType === REAL
}

/** The new definition of a column, under the name of its type in the old one when both name the same type. */
export function withNamedType(definition: Column, before: Column | undefined): Column {
  if (before === undefined || !isOtherName(definition, before)) return definition
  const { jdbcType, typeName, typeExpression, length, scale } = before
  return { ...definition, jdbcType, typeName, typeExpression, length, scale }
}

function isOtherName({ typeName, length, scale }: Column, before: Column): boolean {
  if (isNamedBoolean(before)) return typeName === 'TINYINT' && length === 1
  return isNamedReal(before) && (typeName === 'DOUBLE' || typeName === 'REAL') && length === null && scale === null
}

/**
 * Remembers the columns with such types, also while their table has no definition: it is then defined again as the
 * server prints it.
 */
export class NamedTypes {
  readonly #byTable = new Map<TableId, ReadonlyMap<string, Column>>()
  readonly #keyOf: (id: TableId) => TableId

  /** @param keyOf the id under which names that the server takes for the same are equal */
  constructor(keyOf: (id: TableId) => TableId) {
    this.#keyOf = keyOf
  }

  get all(): readonly (readonly [table: TableId, columns: readonly Column[]])[] {
    return Array.from(this.#byTable, ([id, columns]) => [id, [...columns.values()]] as const)
  }

  /** Replaces all that is known. */
  restore(all: readonly (readonly [table: TableId, columns: readonly Column[]])[]): void {
    this.#byTable.clear()
    for (const [id, columns] of all) this.note({ id, columns })
  }

  /** The definition of a table, by a statement or the history. */
  note({ id, columns }: Pick<MySqlTable, 'id' | 'columns'>): void {
    const named = columns.filter((column) => isNamedBoolean(column) || isNamedReal(column))
    if (named.length === 0) this.#byTable.delete(this.#keyOf(id))
    else this.#byTable.set(this.#keyOf(id), new Map(named.map((column) => [column.name.toLowerCase(), column])))
  }

  /** The definition that the server prints, with the names of the types before. */
  restored(table: MySqlTable): MySqlTable {
    const named = this.#byTable.get(this.#keyOf(table.id))
    if (named === undefined) return table
    return {
      ...table,
      columns: table.columns.map((column) => withNamedType(column, named.get(column.name.toLowerCase()))),
    }
  }
}
