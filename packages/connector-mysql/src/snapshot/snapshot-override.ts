import type { ConnectValue } from '@tributary/connect-api'
import {
  type BinaryColumn,
  BinaryRowCodec,
  charsetNamed,
  closePrepared,
  collationById,
  FIELD_TYPE,
  LabelError,
  type MySqlConnection,
  type PreparedSelect,
  prepareSelect,
  type ResultColumn,
  type RowReader,
} from '@tributary/mysql'
import { CodedError, type Logger, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'

/** A statement of the user that selects the rows of a table, ready to run. */
export interface OverrideSelect {
  readonly prepared: PreparedSelect
  readonly reader: RowReader<ConnectValue>
  /** The error for a user of one that the server reports while the statement runs. */
  readonly explain: (error: unknown) => Error
}

/** What an override is about, for its errors. */
interface Override {
  readonly table: string
  readonly statement: string
}

/**
 * Prepares the statement as it was written. Its columns are matched by name with those of the table, and must have
 * their types, which the server describes: a value of another type could have another meaning.
 *
 * The rows are read in the binary protocol: in the text protocol a FLOAT has six digits.
 *
 * @throws SNAPSHOT_SELECT_REFUSED, SNAPSHOT_SELECT_COLUMNS; MYSQL_CONNECTION_LOST
 */
export async function prepareOverride(
  connection: MySqlConnection,
  captured: CapturedTable,
  statement: string,
): Promise<OverrideSelect> {
  const { table } = captured
  const override: Override = { table: table.id.toString(), statement }
  const own = await ownColumns(connection, captured)
  const prepared = await prepare(connection, override)
  try {
    if (prepared.columns.length === 0) throw mismatch(override, 'it is no statement that returns rows')
    const columns = matchColumns(captured, own, { override, given: prepared.columns })
    const explain = (error: unknown): Error => refusalOf(override, error)
    const codec = new BinaryRowCodec(columns, captured.mappings.length)
    return { prepared, reader: new CheckedRows(codec, captured, override), explain }
  } catch (error) {
    if (connection.isOpen) closePrepared(connection, prepared)
    throw error
  }
}

async function prepare(connection: MySqlConnection, override: Override): Promise<PreparedSelect> {
  const { table, statement } = override
  try {
    return await prepareSelect(connection, statement, `preparing the statement for the rows of ${table}`)
  } catch (error) {
    throw refusalOf(override, error)
  }
}

/** An error of the server in the words of the configuration; any other error as it is. */
function refusalOf({ table, statement }: Override, error: unknown): Error {
  if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') return toError(error)
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  return connectorErrors.SNAPSHOT_SELECT_REFUSED({ table, statement, reason }, error)
}

/** How the server describes the columns of the table that events need; null for the others. */
async function ownColumns(
  connection: MySqlConnection,
  { table, mappings }: CapturedTable,
): Promise<readonly (ResultColumn | null)[]> {
  const { database, table: name } = table.id
  const expressions = table.columns.map((column, i) => ((mappings[i] ?? null) === null ? 'NULL' : quoted(column.name)))
  const own = await prepareSelect(
    connection,
    `SELECT ${expressions.join(', ')} FROM ${quoted(database)}.${quoted(name)}`,
    `reading the types of the columns of ${table.id.toString()}`,
  )
  closePrepared(connection, own)
  return own.columns.map((column, i) => ((mappings[i] ?? null) === null ? null : column))
}

function matchColumns(
  captured: CapturedTable,
  own: readonly (ResultColumn | null)[],
  { override, given }: { readonly override: Override; readonly given: readonly ResultColumn[] },
): readonly BinaryColumn<ConnectValue>[] {
  const { columns } = captured.table
  const indexes = new Map(columns.map(({ name }, i) => [name.toLowerCase(), i]))
  const seen = new Set<number>()
  const matched = given.map((column): BinaryColumn<ConnectValue> => {
    const index = indexes.get(column.name.toLowerCase())
    if (index === undefined) throw mismatch(override, `the table has no column named '${column.name}'`)
    if (seen.has(index)) throw mismatch(override, `two of its columns are named '${column.name}'`)
    seen.add(index)
    const expected = own[index] ?? null
    const target = captured.mappings[index]?.target ?? null
    if (expected === null || target === null) return { column, into: null }
    const problem = typeProblem(expected, column, columns[index]?.optional ?? true)
    if (problem !== null) throw mismatch(override, `its column '${column.name}' ${problem}`)
    return { column, into: { index, target, labels: labelsOf(captured, index, override) } }
  })
  const missing = columns.find((_column, i) => (own[i] ?? null) !== null && !seen.has(i))
  if (missing !== undefined) throw mismatch(override, `it does not select the column '${missing.name}'`)
  return matched
}

/** Null: values of the given column mean what values of the own one do. */
function typeProblem(own: ResultColumn, given: ResultColumn, isNullable: boolean): string | null {
  if (given.type === FIELD_TYPE.null && !isNullable) return 'is always NULL, but that of the table is NOT NULL'
  const isSame =
    given.type === FIELD_TYPE.null ||
    (isText(own) && isText(given)) ||
    (own.type === given.type &&
      own.isUnsigned === given.isUnsigned &&
      own.isEnum === given.isEnum &&
      own.isSet === given.isSet &&
      own.decimals === given.decimals)
  if (!isSame) return `is of another type than that of the table (${typeText(given)} instead of ${typeText(own)})`
  const [expected, found] = [charsetOf(own), charsetOf(given)]
  if (given.type === FIELD_TYPE.null || expected === found) return null
  return `has another character set than that of the table (${found} instead of ${expected})`
}

/** CHAR, VARCHAR, TEXT, BINARY, VARBINARY and BLOB of any length, whose values are sent alike. */
function isText({ type, isEnum, isSet }: ResultColumn): boolean {
  return TEXT_TYPES.has(type) && !isEnum && !isSet
}

/** FIELD_TYPE of VARCHAR, TINY, MEDIUM and LONG BLOB, BLOB, VAR_STRING, STRING. */
const TEXT_TYPES: ReadonlySet<number> = new Set([15, 249, 250, 251, 252, 253, 254])

function charsetOf({ collation }: ResultColumn): string {
  return collationById(collation)?.charset ?? `number ${collation}`
}

function typeText({ type, isUnsigned, isEnum, isSet, decimals }: ResultColumn): string {
  const facts = [
    `type ${type} of the protocol`,
    ...(isUnsigned ? ['unsigned'] : []),
    ...(isEnum ? ['ENUM'] : []),
    ...(isSet ? ['SET'] : []),
    ...(decimals > 0 ? [`${decimals} decimals`] : []),
  ]
  return facts.join(', ')
}

/** The server sends ENUM and SET as texts. */
function labelsOf(
  { table }: CapturedTable,
  index: number,
  override: Override,
): NonNullable<BinaryColumn<ConnectValue>['into']>['labels'] {
  const column = table.columns[index]
  const type = column === undefined ? null : columnTypeOf(column)
  if (type === null || (type.name !== 'ENUM' && type.name !== 'SET')) return null
  const charset = charsetNamed(type.charset ?? 'utf8mb4')
  if (charset !== undefined) return { members: type.members, charset }
  throw mismatch(override, `this version cannot decode the character set ${type.charset} of '${column?.name}'`)
}

/** Rows whose NULLs and members were checked: the statement may compute them. */
class CheckedRows implements RowReader<ConnectValue> {
  readonly #codec: BinaryRowCodec<ConnectValue>
  readonly #override: Override
  /** Columns that must not be NULL: index and name. */
  readonly #required: readonly (readonly [index: number, name: string])[]

  constructor(codec: BinaryRowCodec<ConnectValue>, { table, mappings }: CapturedTable, override: Override) {
    this.#codec = codec
    this.#override = override
    // A converter may make a column optional: zero dates become NULL.
    this.#required = table.columns.flatMap(({ name, optional }, i) =>
      optional || mappings[i]?.schema.isOptional !== false ? [] : [[i, name] as const],
    )
  }

  read(bytes: Buffer, start: number, end: number): ConnectValue[] {
    const row = this.#readRow(bytes, start, end)
    for (const [index, name] of this.#required) {
      if (row[index] === null)
        throw mismatch(this.#override, `a row has NULL in '${name}', which is NOT NULL in the table`)
    }
    return row
  }

  #readRow(bytes: Buffer, start: number, end: number): ConnectValue[] {
    try {
      return this.#codec.read(bytes, start, end)
    } catch (error) {
      if (error instanceof LabelError) throw mismatch(this.#override, error.message)
      throw error
    }
  }
}

function mismatch({ table, statement }: Override, reason: string): Error {
  return connectorErrors.SNAPSHOT_SELECT_COLUMNS({ table, statement, reason })
}

/** Overrides that name no table whose rows are read have no effect: probably they are misspelt. */
export function warnOfUnusedOverrides(
  overrides: ReadonlyMap<string, string>,
  tables: ReadonlySet<string>,
  logger: Logger,
): void {
  const unused = [...overrides.keys()].filter((name) => !tables.has(name))
  if (unused.length === 0) return
  logger.warn(
    `snapshot.select.statement.overrides: the snapshot reads no rows of ${unused.join(', ')}, so the statements for them are not used. Write each table as the server does, as database.table`,
  )
}
