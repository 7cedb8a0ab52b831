import type {
  ConnectValue,
  Converter,
  ConverterPlugin,
  HeaderConverter,
  HeaderConverterPlugin,
  Schema,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'

/** Writes header values with a converter of record values, as Kafka's classes that are both do. */
class ValueHeaderConverter implements HeaderConverter {
  readonly #converter: Converter

  constructor(converter: Converter) {
    this.#converter = converter
  }

  configure(options: Readonly<Record<string, string>>): void {
    this.#converter.configure(options, false)
  }

  write(schema: Schema | null, value: ConnectValue, out: ByteWriter): boolean {
    const encoder = this.#converter.encoderFor(schema, '')
    const start = out.position
    out.write(encoder.prefix)
    if (encoder.write(value, out)) return true
    out.position = start
    return false
  }
}

/** The header converter of the same class. Only for converters without a registry. */
export function headerConverterOf(plugin: ConverterPlugin): HeaderConverterPlugin {
  const { className, version } = plugin
  return { type: 'header_converter', className, version, create: () => new ValueHeaderConverter(plugin.create()) }
}
