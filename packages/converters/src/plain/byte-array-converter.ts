import {
  connectErrors,
  type ConnectValue,
  type Converter,
  type ConverterPlugin,
  type Schema,
  type ValueEncoder,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { describeValue } from '../text/value-description.ts'
import { CONVERTERS_VERSION } from '../version.ts'

/** Connect's ByteArrayConverter: writes bytes unchanged and refuses all other values. */
export class ByteArrayConverter implements Converter {
  #role = 'value'

  configure(_options: Readonly<Record<string, string>>, isKey: boolean): void {
    this.#role = isKey ? 'key' : 'value'
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    const field = this.#role
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        const isBytesSchema = schema === null || schema.type === 'bytes'
        if (isBytesSchema && value === null) return false
        if (!isBytesSchema || !(value instanceof Uint8Array)) {
          throw connectErrors.VALUE_MISFIT({ value: describeValue(value), type: 'bytes', field })
        }
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
