import {
  type ConnectValue,
  type Converter,
  type ConverterPlugin,
  type Schema,
  type ValueEncoder,
  javaTypeName,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { javaClassOf } from '../text/java-class.ts'
import { CONVERTERS_VERSION } from '../version.ts'

/** Kafka's BooleanConverter: one byte, 1 or 0. */
export class BooleanConverter implements Converter {
  configure(_options: Readonly<Record<string, string>>, _isKey: boolean): void {}

  encoderFor(schema: Schema | null): ValueEncoder {
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        if (schema !== null && schema.type !== 'boolean')
          throw converterErrors.CONVERTER_SCHEMA({ converter: 'BooleanConverter', type: javaTypeName(schema.type) })
        if (value === null) return false
        if (typeof value !== 'boolean')
          throw converterErrors.CONVERTER_VALUE({
            converter: 'BooleanConverter',
            className: javaClassOf(schema, value),
          })
        out.byte(value ? 1 : 0)
        return true
      },
    }
  }
}

const EMPTY = new Uint8Array(0)

export const booleanConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'org.apache.kafka.connect.converters.BooleanConverter',
  version: CONVERTERS_VERSION,
  create: () => new BooleanConverter(),
}
