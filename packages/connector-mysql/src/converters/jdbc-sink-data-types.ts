import { type ConfigMap, type ConnectValue, Schema } from '@tributary/connect-api'
import type { RegexList } from '@tributary/connector-kit'
import {
  type ColumnConverter,
  commonOptions,
  type Conversion,
  type ConvertibleColumn,
  nameOf,
} from './column-converter.ts'
import { isTrue, selectorOf } from './converter-options.ts'
import { numberOf, numberTarget } from './number-target.ts'
import { stringTarget, textOf } from './string-target.ts'

/**
 * `JdbcSinkDataTypesConverter`: the columns of `selector.boolean` are 0 or 1 in an int16, those of `selector.real` are
 * doubles (floats with `treat.real.as.double=false`), those of `selector.string` are strings whose schema has the
 * character set.
 *
 * Debezium replaces a value that its converter cannot handle with 0 or an empty string, which for some types is every
 * value. Here such a column keeps its form.
 */
export class JdbcSinkDataTypes implements ColumnConverter {
  readonly #booleans: RegexList | null
  readonly #reals: RegexList | null
  readonly #strings: RegexList | null
  readonly #realType: 'double' | 'float'

  /** @throws SyntaxError for a selector that is not a list of regular expressions */
  constructor(options: ConfigMap) {
    this.#booleans = selectorOf(options['selector.boolean'])
    this.#reals = selectorOf(options['selector.real'])
    this.#strings = selectorOf(options['selector.string'])
    const asDouble = options['treat.real.as.double'] ?? ''
    this.#realType = asDouble === '' || isTrue(asDouble) ? 'double' : 'float'
  }

  conversionOf(found: ConvertibleColumn): Conversion | null {
    const name = nameOf(found)
    if (this.#booleans?.matches(name) === true) return toInt16(found)
    if (this.#reals?.matches(name) === true) return toReal(found, this.#realType)
    return this.#strings?.matches(name) === true ? toText(found) : null
  }
}

function toInt16(found: ConvertibleColumn): Conversion {
  const { schema, select } = found.plain
  // A fraction below 1 is no positive integer.
  const bit = (value: number): number => (Math.trunc(value) > 0 ? 1 : 0)
  const target = numberTarget(found, bit, 'withBits')
  if (target === null) return unconvertible(found, 'selector.boolean')
  const options = commonOptions(schema, numberOf(schema.defaultValue, bit))
  return { tag: 'converted', mapping: { schema: Schema.of('int16', options), target, select } }
}

function toReal(found: ConvertibleColumn, type: 'double' | 'float'): Conversion {
  const { schema, select } = found.plain
  const real = type === 'double' ? (value: number): number => value : Math.fround
  const target = numberTarget(found, real, 'withoutBits')
  if (target === null) return unconvertible(found, 'selector.real')
  const options = commonOptions(schema, numberOf(schema.defaultValue, real))
  return { tag: 'converted', mapping: { schema: Schema.of(type, options), target, select } }
}

function toText(found: ConvertibleColumn): Conversion {
  const { schema, select } = found.plain
  const target = stringTarget(found)
  if (target === null) return unconvertible(found, 'selector.string')
  const { charsetName } = found.column
  const defaultText: ConnectValue = textOf(schema.defaultValue, found)
  const options = {
    ...commonOptions(schema, defaultText),
    ...(charsetName === null ? {} : { parameters: { [CHARACTER_SET]: charsetName } }),
  }
  return { tag: 'converted', mapping: { schema: Schema.of('string', options), target, select } }
}

const CHARACTER_SET = '__debezium.source.column.character_set'

function unconvertible({ type }: ConvertibleColumn, selector: string): Conversion {
  return { tag: 'unconvertible', reason: `${selector} of JdbcSinkDataTypesConverter does not convert ${type.name}` }
}
