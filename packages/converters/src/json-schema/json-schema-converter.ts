import type { ConverterPlugin } from '@tributary/connect-api'
import { systemClock, type Clock } from '@tributary/support'
import { RegisteredConverter } from '../registered/registered-converter.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { JsonSchemaFormat } from './json-schema-format.ts'
import { parseJsonSchemaOptions } from './json-schema-options.ts'

/** Confluent's JsonSchemaConverter. */
export class JsonSchemaConverter extends RegisteredConverter {
  constructor(clock: Clock = systemClock) {
    super(
      {
        isConfluentOnly: true,
        configure: (options, { role }) => new JsonSchemaFormat(parseJsonSchemaOptions(options), role),
      },
      clock,
    )
  }
}

export const jsonSchemaConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.confluent.connect.json.JsonSchemaConverter',
  aliases: ['jsonschema'],
  version: CONVERTERS_VERSION,
  create: () => new JsonSchemaConverter(),
}
