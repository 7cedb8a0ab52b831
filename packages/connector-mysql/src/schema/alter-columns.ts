import type { Column } from '@tributary/connector-kit'
import { type MySqlTable, columnNamed } from './mysql-table.ts'
import type { AlterAction, ColumnDefinition, ColumnPosition, DefaultValue } from '@tributary/mysql'
import { columnOf, defaultOf } from './column-model.ts'
import { columnTypeOf } from './column-type-of.ts'
import { NOW_EXPRESSION } from './default-expression.ts'
import { requiredDefault } from './create-table.ts'
import { schemaErrors } from './errors.ts'
import { withNamedType } from './named-types.ts'
import type { TableContext } from './table-context.ts'
import { isSameName } from './table-keys.ts'
import { hasImplicitDefault, promoteFirstTimestamp } from './timestamp-defaults.ts'

export interface AlterColumnsOptions {
  readonly table: MySqlTable
  readonly actions: readonly AlterAction[]
  /** The table's default charset after the statement. */
  readonly defaultCharsetName: string | null
  readonly context: TableContext
}

export interface AlteredColumns {
  /** In order. `numberColumns` sets their positions afterwards. */
  readonly columns: readonly Column[]
  /** The columns that the statement defines, by name in lower case, as they were before; null for an added one. */
  readonly defined: ReadonlyMap<string, Column | null>
  /** By old name in lower case, for columns that were renamed or dropped: the new name, or null when dropped. */
  readonly renames: ReadonlyMap<string, string | null>
}

/** A column of the altered table. Compared by identity: while names are swapped, two columns can have the same name. */
interface Slot {
  column: Column
}

/** A column that is added, or changed with FIRST or AFTER: it gets its place after all others have theirs. */
interface Placement {
  readonly slot: Slot
  readonly isAdded: boolean
  readonly position: ColumnPosition | null
}

type ChangeAction = Extract<AlterAction, { tag: 'changeColumn' | 'renameColumn' | 'dropColumn' | 'alterColumnDefault' }>

/**
 * The columns after the actions, which are applied in the order of the server (sql_table.cc,
 * mysql_prepare_alter_table): each old column is dropped, changed or kept in its place; then added columns, and changed
 * ones with FIRST or AFTER, are inserted in the order of the statement.
 *
 * @throws SCHEMA_UNDERIVABLE when an action names a column that does not exist, or two columns would have one name
 */
export function alterColumns(options: AlterColumnsOptions): AlteredColumns {
  const { table, actions, context } = options
  const defaultCharset = requiredDefault(options.defaultCharsetName, table.id)
  const implicit = new Set<Column>()
  const defined = new Map<string, Column | null>()
  const make = (definition: ColumnDefinition, before: Column | null): Column => {
    defined.set(definition.name.toLowerCase(), before)
    const column = columnOf(definition, defaultCharset, context)
    if (hasImplicitDefault(definition)) implicit.add(column)
    return column
  }
  const renames = new Map<string, string | null>()
  const slots: Slot[] = table.columns.map((column) => ({ column }))
  const slotByName = new Map(slots.map((slot) => [slot.column.name.toLowerCase(), slot]))
  const placements: Placement[] = []
  const added: string[] = []
  for (const action of actions) {
    if (action.tag === 'addColumn') {
      const { name } = action.column
      // An earlier action of the statement may have added it.
      const isThere = columnNamed(table.columns, name) !== undefined || added.some((other) => isSameName(other, name))
      if (action.isIfNotExists && isThere) continue
      placements.push({ slot: { column: make(action.column, null) }, isAdded: true, position: action.position })
      added.push(action.column.name)
    } else if (isChange(action)) {
      refuseTwoDefaults(action, actions, table)
      const slot = slotByName.get(action.name.toLowerCase())
      if (slot === undefined) {
        if (!action.isIfExists) throw misfit(table, `it has no column ${action.name}`)
        if (action.tag !== 'dropColumn' && isColumn(table, action.name)) throw changedAndDropped(table, action.name)
        continue
      }
      const isChanged = slot.column !== columnNamed(table.columns, action.name)
      if (action.tag === 'dropColumn' && isChanged) throw changedAndDropped(table, action.name)
      change(slot, action, { make, slots, renames, placements, context })
      // Another DROP COLUMN IF EXISTS of the statement finds no column.
      if (action.tag === 'dropColumn') slotByName.delete(action.name.toLowerCase())
    }
  }
  // Keys refer to columns by name: an added column replaces a dropped one of the same name in them.
  for (const name of added) if (renames.get(name.toLowerCase()) === null) renames.delete(name.toLowerCase())
  const columns = withGeneratedKeyFirst(place(slots, placements, table), table).map(({ column }) => column)
  const promoted = context.hasExplicitTimestampDefaults ? columns : promoteFirstTimestamp(columns, implicit)
  return { columns: promoted, defined, renames }
}

/** The result of ALTER … SET DEFAULT and another change of the column in a statement depends on the server. */
function refuseTwoDefaults(change: ChangeAction, actions: readonly AlterAction[], table: MySqlTable): void {
  if (change.tag !== 'alterColumnDefault') return
  const isTwice = actions.some(
    (other) =>
      (other.tag === 'changeColumn' || other.tag === 'renameColumn') &&
      (isSameName(other.name, change.name) || isSameName(newNameOf(other), change.name)),
  )
  if (isTwice) throw misfit(table, `its column ${change.name} is changed twice`)
}

function newNameOf(action: Extract<AlterAction, { tag: 'changeColumn' | 'renameColumn' }>): string {
  return action.tag === 'changeColumn' ? action.column.name : action.to
}

function isChange(action: AlterAction): action is ChangeAction {
  const { tag } = action
  return tag === 'changeColumn' || tag === 'renameColumn' || tag === 'dropColumn' || tag === 'alterColumnDefault'
}

interface Draft {
  readonly make: (definition: ColumnDefinition, before: Column) => Column
  readonly slots: Slot[]
  readonly renames: Map<string, string | null>
  readonly placements: Placement[]
  readonly context: TableContext
}

function change(slot: Slot, action: ChangeAction, { make, slots, renames, placements, context }: Draft): void {
  const { column } = slot
  switch (action.tag) {
    case 'dropColumn':
      slots.splice(slots.indexOf(slot), 1)
      renames.set(column.name.toLowerCase(), null)
      return
    case 'renameColumn':
      slot.column = { ...column, name: action.to }
      renames.set(column.name.toLowerCase(), action.to)
      return
    case 'changeColumn':
      slot.column = withNamedType(make(action.column, column), column)
      renames.set(column.name.toLowerCase(), action.column.name)
      if (action.position !== null) placements.push({ slot, isAdded: false, position: action.position })
      return
    case 'alterColumnDefault':
      slot.column = withDefault(column, action.value, context)
  }
}

/** MariaDB removes ON UPDATE together with an old default of the current time. */
function withDefault(column: Column, value: DefaultValue | null, context: TableContext): Column {
  const type = columnTypeOf(column)
  const isTimed = type.name === 'DATETIME' || type.name === 'TIMESTAMP'
  const isRemoved = context.flavor === 'mariadb' && isTimed && column.defaultValueExpression === NOW_EXPRESSION
  const isSelfSet = column.autoIncremented && !isRemoved
  // A column with AUTO_INCREMENT has no default.
  if (isSelfSet && !isTimed) return column
  return {
    ...column,
    autoIncremented: isSelfSet,
    generated: isSelfSet,
    ...defaultOf(value, { type, optional: column.optional, context }),
  }
}

function place(slots: readonly Slot[], placements: readonly Placement[], table: MySqlTable): Slot[] {
  const placed = [...slots]
  for (const { slot, isAdded, position } of placements) {
    if (!isAdded) placed.splice(placed.indexOf(slot), 1)
    else if (placed.some(({ column }) => isSameName(column.name, slot.column.name))) {
      throw misfit(table, `it has a column ${slot.column.name} already`)
    }
    placed.splice(indexOf(position, placed, table), 0, slot)
  }
  refuseEqualNames(placed, table)
  return placed
}

/** The server had another table than the model when it ran a statement that leaves two columns with one name here. */
function refuseEqualNames(slots: readonly Slot[], table: MySqlTable): void {
  const seen = new Set<string>()
  for (const { column } of slots) {
    const name = column.name.toLowerCase()
    if (seen.has(name)) throw misfit(table, `it would have two columns with the name ${column.name}`)
    seen.add(name)
  }
}

function indexOf(position: ColumnPosition | null, slots: readonly Slot[], table: MySqlTable): number {
  if (position === null) return slots.length
  if (position.tag === 'first') return 0
  const before = slots.findIndex(({ column }) => isSameName(column.name, position.column))
  if (before < 0) throw misfit(table, `it has no column ${position.column}, which AFTER names`)
  return before + 1
}

/** MySQL keeps a generated primary key (sql_generate_invisible_primary_key) before all other columns. */
function withGeneratedKeyFirst(placed: readonly Slot[], { columns: [first] }: MySqlTable): readonly Slot[] {
  if (first?.name !== 'my_row_id' || !first.autoIncremented || first.typeName !== 'BIGINT UNSIGNED') return placed
  const key = placed.find(({ column }) => column === first)
  return key === undefined ? placed : [key, ...placed.filter((slot) => slot !== key)]
}

/** MySQL refuses that. MariaDB accepts it with IF EXISTS, and does one or the other. */
function changedAndDropped(table: MySqlTable, column: string): Error {
  return misfit(table, `its column ${column} is changed and dropped`)
}

function isColumn(table: MySqlTable, name: string): boolean {
  return columnNamed(table.columns, name) !== undefined
}

function misfit(table: MySqlTable, reason: string): Error {
  return schemaErrors.SCHEMA_UNDERIVABLE({ table: table.id.toString(), reason })
}
