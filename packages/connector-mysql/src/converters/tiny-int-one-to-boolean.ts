import { type ConfigMap, type ConnectValue, Schema } from '@tributary/connect-api'
import type { RegexList } from '@tributary/connector-kit'
import { isNamedBoolean } from '../schema/named-types.ts'
import {
  type ColumnConverter,
  commonOptions,
  type Conversion,
  type ConvertibleColumn,
  nameOf,
} from './column-converter.ts'
import { isTrue, selectorOf } from './converter-options.ts'

/**
 * `TinyIntOneToBooleanConverter`: columns of the type TINYINT(1) are booleans, true for positive values.
 * `length.checker=false` includes TINYINT of any display width. ZEROFILL columns are not included, as in Debezium.
 */
export class TinyIntOneToBoolean implements ColumnConverter {
  readonly #selector: RegexList | null
  readonly #checksLength: boolean

  /** @throws SyntaxError for a selector that `selectorRefusal` refuses */
  constructor(options: ConfigMap) {
    this.#selector = selectorOf(options['selector'])
    const checker = options['length.checker'] ?? ''
    this.#checksLength = checker === '' || isTrue(checker)
  }

  conversionOf(found: ConvertibleColumn): Conversion | null {
    const { column, type, plain } = found
    const { target, schema } = plain
    if (target.kind !== 'integer' || type.name !== 'TINYINT' || type.isZerofill || isNamedBoolean(column)) return null
    if (this.#checksLength && column.length !== 1) return null
    if (this.#selector?.matches(nameOf(found)) === false) return null
    return {
      tag: 'converted',
      mapping: {
        schema: Schema.of('boolean', commonOptions(schema, booleanOf(schema.defaultValue))),
        target: { kind: 'integer', isUnsigned: target.isUnsigned, of: (value) => value > 0 },
        select: plain.select,
      },
    }
  }
}

function booleanOf(defaultValue: ConnectValue): boolean | null {
  return typeof defaultValue === 'number' ? defaultValue > 0 : null
}
