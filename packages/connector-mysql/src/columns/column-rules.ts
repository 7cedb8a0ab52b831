import type { ConfigMap } from '@tributary/connect-api'
import { type Column, RegexList, type Table, type TableId } from '@tributary/connector-kit'
import { type ColumnTreatment, maskWithAsterisks, maskWithHash, truncateTo } from './column-mask.ts'
import { KeyColumns } from './key-columns.ts'

interface TreatmentRule {
  readonly columns: RegexList
  readonly treat: (column: Column) => ColumnTreatment
}

/** Which columns events contain, in which form, and which are keys: the `column.…` properties of a connector. */
export class ColumnRules {
  readonly #included: RegexList
  readonly #excluded: RegexList
  readonly #treatments: readonly TreatmentRule[]
  readonly #propagatedColumns: RegexList
  readonly #propagatedTypes: RegexList
  readonly #keys: KeyColumns

  /** @throws SyntaxError for values that the definition of the properties refuses */
  constructor(properties: ConfigMap) {
    const list = (name: string): RegexList => new RegexList(properties[name] ?? '')
    this.#included = list('column.include.list')
    this.#excluded = list('column.exclude.list')
    this.#treatments = Object.entries(properties).flatMap(([name, value]) => treatmentRule(name, value) ?? [])
    this.#propagatedColumns = list('column.propagate.source.type')
    this.#propagatedTypes = list('datatype.propagate.source.type')
    this.#keys = new KeyColumns(properties['message.key.columns'] ?? '')
  }

  /** Whether the values of events contain the column. */
  includes(table: TableId, column: string): boolean {
    const name = `${table.toString()}.${column}`
    return this.#included.isEmpty ? !this.#excluded.matches(name) : this.#included.matches(name)
  }

  /** Columns of the key in key order; null: those of the primary key. */
  keyOf(table: Table): readonly string[] | null {
    return this.#keys.of(table)
  }

  /** What changes the values of a column; null: nothing. Only columns with characters can be changed, as in Debezium. */
  treatmentOf(table: TableId, column: Column): ColumnTreatment | null {
    if (!isText(column)) return null
    const name = `${table.toString()}.${column.name}`
    const rule = this.#treatments.find(({ columns }) => columns.matches(name))
    return rule === undefined ? null : rule.treat(column)
  }

  /** The parameters that a schema has with the type of its column; null: none. */
  sourceTypeOf(table: TableId, column: Column): Readonly<Record<string, string>> | null {
    const name = `${table.toString()}.${column.name}`
    const type = `${table.database}.${column.typeName}`
    if (!this.#propagatedColumns.matches(name) && !this.#propagatedTypes.matches(type)) return null
    const { typeName, length, scale, comment } = column
    return {
      '__debezium.source.column.type': typeName,
      ...(length === null ? {} : { '__debezium.source.column.length': String(length) }),
      ...(scale === null ? {} : { '__debezium.source.column.scale': String(scale) }),
      ...(comment === null ? {} : { '__debezium.source.column.comment': comment }),
      '__debezium.source.column.name': column.name,
    }
  }
}

/** The types of java.sql.Types that have characters: CHAR, VARCHAR, LONGVARCHAR, CLOB, and the national ones. */
const TEXT_TYPES: ReadonlySet<number> = new Set([1, 12, -1, 2005, -15, -9, -16, 2011])

function isText({ jdbcType }: Column): boolean {
  return TEXT_TYPES.has(jdbcType)
}

/** Names that contain what they do. */
const TRUNCATE = /^column\.truncate\.to\.(\d+)\.chars$/
const ASTERISKS = /^column\.mask\.with\.(\d+)\.chars$/
export const HASH: RegExp = /^column\.mask\.hash\.(v2\.)?([^.]+)\.with\.salt\.(.+)$/

function treatmentRule(name: string, value: string): TreatmentRule | null {
  const truncated = TRUNCATE.exec(name)
  if (truncated !== null) {
    const treatment = truncateTo(Number(truncated[1]))
    return { columns: new RegexList(value), treat: () => treatment }
  }
  const masked = ASTERISKS.exec(name)
  if (masked !== null) {
    const treatment = maskWithAsterisks(Number(masked[1]))
    return { columns: new RegexList(value), treat: () => treatment }
  }
  const [hashed, v2, algorithm = '', salt = ''] = HASH.exec(name) ?? []
  if (hashed === undefined) return null
  const version = v2 === undefined ? 'v1' : 'v2'
  return {
    columns: new RegexList(value),
    treat: (column) => maskWithHash({ algorithm, salt, version, column }),
  }
}
