import { type ConfigValues, type ConnectValue, type Schema, type SourceRecord, Struct } from '@tributary/connect-api'
import { KEY_SIDE, type RecordSide, VALUE_SIDE } from '../stage/record-side.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'

/** Removes the fields that a header of the record lists: `drop.fields.…` of ExtractNewRecordState. */
export class DropFields {
  readonly #header: string
  readonly #fromKey: boolean
  readonly #keepsRequired: boolean
  readonly #plans = new SchemaMemo(() => new Map<string, StructPlan>())

  private constructor(header: string, values: ConfigValues) {
    this.#header = header
    this.#fromKey = values.boolean('drop.fields.from.key')
    this.#keepsRequired = values.boolean('drop.fields.keep.schema.compatible')
  }

  /** Null: the options name no header. */
  static of(values: ConfigValues): DropFields | null {
    const header = values.optionalString('drop.fields.header.name')?.trim() ?? ''
    return header === '' ? null : new DropFields(header, values)
  }

  /** `kept`: fields that stay although the header lists them. */
  apply(record: SourceRecord, kept: readonly { readonly newName: string }[]): SourceRecord {
    const listed = record.headers.find(({ key }) => key === this.#header)?.value ?? null
    if (!Array.isArray(listed) || listed.length === 0) return record
    const names = (listed as readonly ConnectValue[])
      .map(String)
      .filter((name) => !kept.some(({ newName }) => newName === name))
    const dropped = this.#fromKey ? this.#without(record, names, KEY_SIDE) : record
    return this.#without(dropped, names, VALUE_SIDE)
  }

  #without(record: SourceRecord, names: readonly string[], side: RecordSide): SourceRecord {
    const value = side.valueOf(record)
    if (!(value instanceof Struct)) return record
    const plans = this.#plans.of(value.schema)
    const key = names.join('\n')
    let plan = plans.get(key)
    if (plan === undefined) {
      plan = this.#planOf(value.schema, new Set(names))
      if (plans.size >= LISTS_MAX) plans.clear()
      plans.set(key, plan)
    }
    if (plan.schema.fields.length === value.schema.fields.length) return record
    return side.with(record, plan.schema, plan.make(value, []))
  }

  #planOf(schema: Schema, names: ReadonlySet<string>): StructPlan {
    const edit = new StructEdit(basicsOf(schema))
    for (const field of schema.fields) {
      const isDropped = names.has(field.name) && (field.schema.isOptional || !this.#keepsRequired)
      if (!isDropped) edit.keepWithDefault(field)
    }
    return edit.build()
  }
}

/** Lists come from data: a table of ten columns can have a thousand of them. */
const LISTS_MAX = 1_000
