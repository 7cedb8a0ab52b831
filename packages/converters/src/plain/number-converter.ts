import {
  connectErrors,
  type ConnectValue,
  type Converter,
  type ConverterPlugin,
  type Schema,
  type SchemaType,
  type ValueEncoder,
  isJavaDate,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { javaClassOf } from '../text/java-class.ts'
import { describeValue } from '../text/value-description.ts'
import { CONVERTERS_VERSION } from '../version.ts'

/** What distinguishes the converters of numbers. */
interface NumberKind {
  /** As Java's messages spell it. */
  readonly name: 'short' | 'integer' | 'long' | 'float' | 'double'
  /** The only schema type whose values Java holds in the class that the converter accepts. */
  readonly type: SchemaType
  /** Appends the value. Returns false, and appends nothing, if it is not a value of the type. */
  readonly write: (value: number | bigint, out: ByteWriter) => boolean
}

/**
 * Kafka's converters of single numbers, big-endian: two bytes of a short, four of an integer or a float, eight of a
 * long or a double. As in Java the class of the value decides, not its size: `IntegerConverter` refuses a long. Values
 * without a schema have no class here; they are written if they fit.
 */
export class NumberConverter implements Converter {
  readonly #kind: NumberKind
  #role = 'value'

  constructor(kind: NumberKind) {
    this.#kind = kind
  }

  configure(_options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#role = isKey ? 'key' : 'value'
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    const { name, type, write } = this.#kind
    const role = this.#role
    const isAccepted = schema === null || (schema.type === type && !isJavaDate(schema))
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        if (value === null) return false
        if (!isAccepted || (typeof value !== 'number' && typeof value !== 'bigint')) {
          throw converterErrors.NUMBER_CLASS({ type: name, className: javaClassOf(schema, value), role })
        }
        if (!write(value, out)) throw connectErrors.VALUE_MISFIT({ value: describeValue(value), type, field: role })
        return true
      },
    }
  }
}

const EMPTY = new Uint8Array(0)

function writeShort(value: number | bigint, out: ByteWriter): boolean {
  if (typeof value !== 'number' || (value << 16) >> 16 !== value) return false
  out.reserve(2)
  out.view.setInt16(out.position, value)
  out.position += 2
  return true
}

function writeInteger(value: number | bigint, out: ByteWriter): boolean {
  if (typeof value !== 'number' || (value | 0) !== value) return false
  out.reserve(4)
  out.view.setInt32(out.position, value)
  out.position += 4
  return true
}

function writeLong(value: number | bigint, out: ByteWriter): boolean {
  out.reserve(8)
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) return false
    out.view.setBigInt64(out.position, value)
  } else {
    if (!Number.isSafeInteger(value)) return false
    out.view.setInt32(out.position, Math.floor(value / 0x1_0000_0000))
    out.view.setInt32(out.position + 4, value | 0)
  }
  out.position += 8
  return true
}

function writeFloat(value: number | bigint, out: ByteWriter): boolean {
  if (typeof value !== 'number') return false
  out.reserve(4)
  out.view.setFloat32(out.position, value)
  out.position += 4
  return true
}

function writeDouble(value: number | bigint, out: ByteWriter): boolean {
  if (typeof value !== 'number') return false
  out.reserve(8)
  out.view.setFloat64(out.position, value)
  out.position += 8
  return true
}

const pluginOf = (simpleName: string, kind: NumberKind): ConverterPlugin => ({
  type: 'converter',
  className: `org.apache.kafka.connect.converters.${simpleName}`,
  version: CONVERTERS_VERSION,
  create: () => new NumberConverter(kind),
})

export const numberConverterPlugins: readonly ConverterPlugin[] = [
  pluginOf('ShortConverter', { name: 'short', type: 'int16', write: writeShort }),
  pluginOf('IntegerConverter', { name: 'integer', type: 'int32', write: writeInteger }),
  pluginOf('LongConverter', { name: 'long', type: 'int64', write: writeLong }),
  pluginOf('FloatConverter', { name: 'float', type: 'float', write: writeFloat }),
  pluginOf('DoubleConverter', { name: 'double', type: 'double', write: writeDouble }),
]
