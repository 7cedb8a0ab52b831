import { type ConnectValue, type Schema, StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { arrayOfLength } from '@tributary/support'
import type { SourceConstants, SourceField } from './source-field.ts'
import type { SourceInfo } from './source-info.ts'

/**
 * Makes the source blocks of events. Those of one table and transaction share a template: by its identity, a converter
 * finds what it has written before.
 */
export function sourceMaker(
  schema: Schema,
  fields: readonly SourceField[],
  constants: SourceConstants,
): (info: SourceInfo) => TemplateStruct {
  const varying = fields.flatMap(({ isOfRow }, index) => (isOfRow === true ? [index] : []))
  const ofRow = fields.filter(({ isOfRow }) => isOfRow === true)
  const valuesOf = (which: readonly SourceField[], info: SourceInfo): readonly ConnectValue[] => {
    const values = arrayOfLength<ConnectValue>(which.length)
    for (let i = 0; i < which.length; i++) values[i] = (which[i] as SourceField).value(info, constants)
    return values
  }
  let last: { readonly info: SourceInfo; readonly template: StructTemplate } | null = null
  return (info) => {
    if (last === null || !sharesTemplate(last.info, info)) {
      last = { info, template: new StructTemplate(schema, valuesOf(fields, info), varying) }
    }
    return new TemplateStruct(last.template, valuesOf(ofRow, info))
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
