import type { Converter, ConverterPlugin, Schema } from '@tributary/connect-api'
import { systemClock, type Clock } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { type FormatContext, RegisteredConverter } from '../registered/registered-converter.ts'
import type { CompiledFormat, SchemaFormat } from '../registered/schema-format.ts'
import { avroLanguage } from '../registry/schema-language.ts'
import type { RegisteredSchema } from '../registry/schema-registry.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { compileAvro } from './avro-compiler.ts'
import { recordName } from './avro-names.ts'
import { type AvroOptions, parseAvroOptions } from './avro-options.ts'
import { avroSchemaParts } from './avro-parts.ts'
import { avroSchemaText } from './avro-schema-text.ts'

/** Avro's binary encoding, with the schemas, bytes and options of the Java converters of Confluent and Apicurio. */
class AvroFormat implements SchemaFormat {
  readonly #options: AvroOptions
  readonly #context: FormatContext

  constructor(options: AvroOptions, context: FormatContext) {
    this.#options = options
    this.#context = context
  }

  compile(schema: Schema): CompiledFormat {
    return { write: compileAvro(this.#written(schema), this.#context.role, this.#options) }
  }

  registered(schema: Schema): RegisteredSchema {
    const written = this.#written(schema)
    const parts = this.#context.settings.form.isSplit ? avroSchemaParts(written, this.#options) : null
    return { text: avroSchemaText(written, this.#options), parts, language: avroLanguage }
  }

  recordName(schema: Schema): string | null {
    return recordName(this.#written(schema), this.#options.scrubInvalidNames)
  }

  noSchema(): Error {
    return converterErrors.AVRO_NO_SCHEMA({ role: this.#context.role })
  }

  /**
   * The schema as it is registered and written: Apicurio's serializer writes a struct that may be null as a plain
   * record.
   */
  #written(schema: Schema): Schema {
    const { hasPlainRecords } = this.#context.settings.form
    return hasPlainRecords && schema.type === 'struct' && schema.isOptional ? schema.with({ optional: false }) : schema
  }
}

/** Avro with a schema registry. */
export class AvroConverter extends RegisteredConverter {
  /** `outerPrefix`: what precedes the options in those of an outer converter. */
  constructor(clock: Clock = systemClock, outerPrefix = '') {
    super(
      {
        isConfluentOnly: false,
        configure: (options, context) => new AvroFormat(parseAvroOptions(options), context),
      },
      clock,
      outerPrefix,
    )
  }
}

const create = (): Converter => new AvroConverter()

export const confluentAvroConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.confluent.connect.avro.AvroConverter',
  aliases: ['avro'],
  version: CONVERTERS_VERSION,
  create,
}

export const apicurioAvroConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.apicurio.registry.utils.converter.AvroConverter',
  version: CONVERTERS_VERSION,
  create,
}
