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

/** Connect's ByteArrayConverter: writes bytes unchanged and refuses all other values. */
export class ByteArrayConverter implements Converter {
  configure(_options: Readonly<Record<string, string>>, _isKey: boolean): void {}

  encoderFor(schema: Schema | null): ValueEncoder {
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        if (schema !== null && schema.type !== 'bytes')
          throw converterErrors.CONVERTER_SCHEMA({ converter: 'ByteArrayConverter', type: javaTypeName(schema.type) })
        if (value === null) return false
        if (!(value instanceof Uint8Array))
          throw converterErrors.CONVERTER_VALUE({
            converter: 'ByteArrayConverter',
            className: javaClassOf(schema, value),
          })
        out.write(value)
        return true
      },
    }
  }
}

const EMPTY = new Uint8Array(0)

export const byteArrayConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'org.apache.kafka.connect.converters.ByteArrayConverter',
  version: CONVERTERS_VERSION,
  create: () => new ByteArrayConverter(),
}
