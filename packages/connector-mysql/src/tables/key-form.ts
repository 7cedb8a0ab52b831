import type { ConnectValue } from '@tributary/connect-api'
import type { Column } from '@tributary/connector-kit'
import type { ColumnType } from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { ColumnMapping } from '../values/column-mapping.ts'

/** Whether different values of a column may have one form in events. */
export type KeyForm =
  /** They may not. */
  | { readonly tag: 'exact' }
  /** Only those whose form is this one: dates that do not exist, for example, all become the epoch. */
  | { readonly tag: 'exact except'; readonly form: ConnectValue }
  | { readonly tag: 'lossy' }

/**
 * Years before 100 are not considered, which `enable.time.adjuster` makes one with those of today: they are outside the
 * range of the servers.
 */
export function keyFormOf(column: Column, mapping: ColumnMapping): KeyForm {
  if (mapping.isLossy === true || mapping.nullValue !== undefined) return LOSSY
  const { target, schema } = mapping
  const type = columnTypeOf(column)
  switch (target.kind) {
    case 'integer':
      return schema.type === 'boolean' ? LOSSY : EXACT
    case 'decimal':
      return schema.type === 'double' ? LOSSY : EXACT
    case 'double':
      return schema.type === 'float' ? LOSSY : EXACT
    case 'date':
      return except(target.of(NO_DATE))
    case 'datetime':
      return isMillis(schema) && digitsOf(type) > 3 ? LOSSY : except(target.of(NO_DATE, 0))
    case 'timestamp':
      return except(target.of(0, 0))
    case 'time':
      // Times of day: durations that are none have the form of another.
      if (schema.type === 'string') return LOSSY
      return isMillis(schema) && digitsOf(type) > 3 ? LOSSY : except(target.of(-1))
    case 'enum':
    case 'set':
      // A value that is no member is an empty text.
      return new Set(type.members).size < type.members.length ? LOSSY : except('')
    case 'raw':
      return LOSSY
    default:
      return EXACT
  }
}

function except(form: ConnectValue): KeyForm {
  return { tag: 'exact except', form }
}

/** Values of Kafka Connect itself have milliseconds. */
function isMillis({ name }: ColumnMapping['schema']): boolean {
  return name?.startsWith('org.apache.kafka.connect.data.') === true
}

function digitsOf({ length }: ColumnType): number {
  return length ?? 0
}

const EXACT: KeyForm = { tag: 'exact' }
const LOSSY: KeyForm = { tag: 'lossy' }
/** 0000-00-00 */
const NO_DATE = 0
