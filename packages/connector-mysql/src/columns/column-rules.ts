import type { ConfigMap } from '@tributary/connect-api'
import { type Column, type ColumnMask, RegexList, type Table, type TableId } from '@tributary/connector-kit'
import { KeyColumns } from './key-columns.ts'
import { type MaskRule, maskRules } from './mask-rules.ts'

/** How the values of a column are changed in events, and the parameters by which its schema informs consumers. */
export interface ColumnTreatment {
  /** Null: events have the values themselves. */
  readonly mask: ColumnMask | null
  readonly parameters: Readonly<Record<string, string>>
}

/** Which columns events contain, in which form, and which are keys: the `column.…` properties of a connector. */
export class ColumnRules {
  readonly #included: RegexList
  readonly #excluded: RegexList
  readonly #masks: readonly MaskRule[]
  readonly #propagatedColumns: RegexList
  readonly #propagatedTypes: RegexList
  readonly #keys: KeyColumns

  /** @throws SyntaxError for values that the definition of the properties refuses */
  constructor(properties: ConfigMap) {
    const list = (name: string): RegexList => new RegexList(properties[name] ?? '')
    this.#included = list('column.include.list')
    this.#excluded = list('column.exclude.list')
    this.#masks = maskRules(properties)
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

  /** Whether a mask, a hash or a truncation names the column, also where its type makes it have no effect. */
  isToBeHidden(table: TableId, column: string): boolean {
    const name = `${table.toString()}.${column}`
    return this.#masks.some(({ columns }) => columns.matches(name))
  }

  /**
   * What changes the values of a column, and what its schema shows. In Debezium only the first property that names a
   * column has an effect, in the order of this method: so a hash has none on a column whose truncation or source type
   * is also requested. Here masks and hashes of texts always have theirs.
   */
  treatmentOf(table: TableId, column: Column): ColumnTreatment {
    const name = `${table.toString()}.${column.name}`
    const rule = (kind: MaskRule['kind']): MaskRule | undefined =>
      this.#masks.find((each) => each.kind === kind && each.columns.matches(name))
    const [truncation, asterisks, hash] = [rule('truncate'), rule('asterisks'), rule('hash')]
    const hiding = asterisks ?? hash
    const mask = hiding !== undefined && isText(column) ? hiding.maskOf(column) : null
    if (truncation !== undefined) return truncated(truncation, column, mask)
    if (asterisks !== undefined) return { mask, parameters: MASKED }
    const sourceType = this.#sourceTypeOf(table, column)
    if (hash === undefined) return { mask: null, parameters: sourceType ?? {} }
    return { mask, parameters: mask === null && sourceType !== null ? sourceType : { ...MASKED, ...sourceType } }
  }

  /** The parameters that a schema has with the type of its column; null: none. */
  #sourceTypeOf(table: TableId, column: Column): Readonly<Record<string, string>> | null {
    const name = `${table.toString()}.${column.name}`
    const type = `${table.toString()}.${column.typeName}`
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

const MASKED = { masked: 'true' }

/** A column that is not longer than the truncation stays as it is; one that is also masked is only masked. */
function truncated({ length, maskOf }: MaskRule, column: Column, hiding: ColumnMask | null): ColumnTreatment {
  if (hiding !== null) return { mask: hiding, parameters: MASKED }
  if (column.length !== null && column.length <= length) return { mask: null, parameters: {} }
  return { mask: maskOf(column), parameters: { truncateLength: String(length) } }
}

/** The types of java.sql.Types that have characters: CHAR, VARCHAR, LONGVARCHAR, CLOB, and the national ones. */
const TEXT_TYPES: ReadonlySet<number> = new Set([1, 12, -1, 2005, -15, -9, -16, 2011])

/** Types of MariaDB whose values are texts in events, and whose number is that of other types. */
const NAMED_TEXT_TYPES: ReadonlySet<string> = new Set(['UUID', 'INET4', 'INET6'])

function isText({ jdbcType, typeName }: Column): boolean {
  return TEXT_TYPES.has(jdbcType) || NAMED_TEXT_TYPES.has(typeName.toUpperCase())
}
