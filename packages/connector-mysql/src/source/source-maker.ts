import { type ConnectValue, type Schema, StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { arrayOfLength } from '@tributary/support'
import type { SourceConstants, SourceField } from './source-field.ts'
import type { SourceInfo } from './source-info.ts'

/**
 * Makes the source blocks of events. Those of one table and transaction share a template: by its identity, a converter
 * finds what it has written before.
 */
export class SourceMaker {
  readonly #schema: Schema
  readonly #fields: readonly SourceField[]
  readonly #constants: SourceConstants
  /** Of the fields that differ between rows. */
  readonly #varying: readonly number[]
  readonly #ofRow: readonly SourceField[]
  /** Where the number of the row is among them. */
  readonly #rowAt: number
  #last: { readonly info: SourceInfo; readonly template: StructTemplate } | null = null

  constructor(schema: Schema, fields: readonly SourceField[], constants: SourceConstants) {
    this.#schema = schema
    this.#fields = fields
    this.#constants = constants
    this.#varying = fields.flatMap(({ isOfRow }, index) => (isOfRow === true ? [index] : []))
    this.#ofRow = fields.filter(({ isOfRow }) => isOfRow === true)
    this.#rowAt = this.#ofRow.findIndex(({ name }) => name === 'row')
  }

  source(info: SourceInfo): TemplateStruct {
    let last = this.#last
    if (last === null || !sharesTemplate(last.info, info)) {
      last = { info, template: new StructTemplate(this.#schema, this.#valuesOf(this.#fields, info), this.#varying) }
      this.#last = last
    }
    return new TemplateStruct(last.template, this.#valuesOf(this.#ofRow, info))
  }

  /** `source`: of another row of the same event. */
  ofRow({ template, own }: TemplateStruct, row: number): TemplateStruct {
    const values = arrayOfLength<ConnectValue>(own.length)
    for (let i = 0; i < own.length; i++) values[i] = i === this.#rowAt ? row : (own[i] as ConnectValue)
    return new TemplateStruct(template, values)
  }

  #valuesOf(which: readonly SourceField[], info: SourceInfo): readonly ConnectValue[] {
    const values = arrayOfLength<ConnectValue>(which.length)
    for (let i = 0; i < which.length; i++) values[i] = (which[i] as SourceField).value(info, this.#constants)
    return values
  }
}

/** True when only position and row differ. */
function sharesTemplate(a: SourceInfo, b: SourceInfo): boolean {
  return (
    a.table === b.table &&
    a.gtid === b.gtid &&
    a.timestampSeconds === b.timestampSeconds &&
    a.timestampMicros === b.timestampMicros &&
    a.threadId === b.threadId &&
    a.serverId === b.serverId &&
    a.file === b.file &&
    a.snapshot === b.snapshot &&
    a.database === b.database &&
    a.query === b.query
  )
}
