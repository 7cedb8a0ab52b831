import type { Converter, ConverterPlugin, Plugin } from '@tributary/connect-api'
import { apicurioAvroConverterPlugin, confluentAvroConverterPlugin } from './avro/avro-converter.ts'
import { cloudEventsConverterPlugin } from './cloud-events/cloud-events-converter.ts'
import { bytesConverterPlugins } from './delegating/bytes-converter.ts'
import { jsonConverterPlugin } from './json/json-converter.ts'
import { jsonSchemaConverterPlugin } from './json-schema/json-schema-converter.ts'
import { booleanConverterPlugin } from './plain/boolean-converter.ts'
import { byteArrayConverterPlugin } from './plain/byte-array-converter.ts'
import { headerConverterOf } from './plain/header-converter-of.ts'
import { numberConverterPlugins } from './plain/number-converter.ts'
import { protobufConverterPlugin } from './protobuf/protobuf-converter.ts'
import { simpleHeaderConverterPlugin } from './plain/simple-header-converter.ts'
import { stringConverterPlugin } from './plain/string-converter.ts'

/** Those that need no registry: they also write headers. */
const selfContained: readonly ConverterPlugin[] = [
  jsonConverterPlugin,
  stringConverterPlugin,
  byteArrayConverterPlugin,
  booleanConverterPlugin,
  ...numberConverterPlugins,
]

const withRegistry: readonly ConverterPlugin[] = [
  confluentAvroConverterPlugin,
  apicurioAvroConverterPlugin,
  jsonSchemaConverterPlugin,
  protobufConverterPlugin,
  cloudEventsConverterPlugin,
]

/** Debezium's classes follow Kafka's, so that the short name `ByteArrayConverter` is Kafka's class. */
const delegating: readonly ConverterPlugin[] = bytesConverterPlugins(converterOf)

/** All converters and header converters. */
export const converterPlugins: readonly Plugin[] = [
  ...selfContained,
  ...withRegistry,
  ...delegating,
  simpleHeaderConverterPlugin,
  ...selfContained.map(headerConverterOf),
  ...delegating.map(headerConverterOf),
]

function converterOf(className: string): Converter | null {
  const plugin = [...selfContained, ...withRegistry].find((each) => each.className === className)
  return plugin?.create() ?? null
}
