import { type ConnectValue, Schema, Struct } from '@tributary/connect-api'
import type { Conversion, ConvertibleColumn } from '../converters/column-converter.ts'
import type { ColumnConversions } from '../converters/column-converters.ts'
import type { ColumnMapping } from '../values/column-mapping.ts'
import { literalTarget } from './literal-target.ts'

const SCHEMA_NAME = 'tributary.Literal'

/**
 * Makes a struct of each column: `value`, as it appears in events, and `literal`, from which a server makes the same
 * value again. The forms of events lose zero dates, digits and the difference between texts of some character sets; the
 * literal does not, since it is made of what the binlog or the snapshot has.
 */
export class LiteralConverters implements ColumnConversions {
  conversionOf({ plain, type }: ConvertibleColumn): Conversion {
    const schema = schemaOf(plain.schema)
    const pair = (value: ConnectValue, literal: string | null): Struct => new Struct(schema, [value, literal])
    const mapping: ColumnMapping = {
      schema,
      target: literalTarget(plain.target, type, pair),
      select: plain.select,
      isLossy: false,
      ...(plain.unavailable === undefined ? {} : { unavailable: pair(plain.unavailable, null) }),
    }
    return { tag: 'converted', mapping }
  }
}

function schemaOf(plain: Schema): Schema {
  const fields = [
    ['value', plain.with({ optional: true })],
    // Null: the binlog does not have the value.
    ['literal', Schema.of('string', { optional: true })],
  ] as const
  return Schema.struct(fields, { name: SCHEMA_NAME, version: 1, optional: true })
}

/** The literal of a column value; null: the value is not known. NULL is the literal of a null. */
export function literalOf(value: ConnectValue): string | null {
  if (!(value instanceof Struct)) return 'NULL'
  const literal = value.at(1)
  return typeof literal === 'string' ? literal : null
}
