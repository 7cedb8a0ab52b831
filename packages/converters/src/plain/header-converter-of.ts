import type {
  ConnectValue,
  Converter,
  ConverterPlugin,
  HeaderConverter,
  HeaderConverterPlugin,
  Schema,
} from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'

/** Writes header values with a converter of record values, as Kafka's classes that are both do. */
class ValueHeaderConverter implements HeaderConverter {
  readonly #converter: Converter
  readonly #out: ByteWriter = new ByteWriter(256)

  constructor(converter: Converter) {
    this.#converter = converter
  }

  configure(options: Readonly<Record<string, string>>): void {
    this.#converter.configure(options, false)
  }

  encode(schema: Schema | null, value: ConnectValue): Uint8Array | null {
    const out = this.#out
    const encoder = this.#converter.encoderFor(schema, '')
    out.reset()
    out.write(encoder.prefix)
    return encoder.write(value, out) ? out.copy() : null
  }
}

/** The header converter of the same class. Only for converters without a registry. */
export function headerConverterOf(plugin: ConverterPlugin): HeaderConverterPlugin {
  const { className, version } = plugin
  return { type: 'header_converter', className, version, create: () => new ValueHeaderConverter(plugin.create()) }
}
