/**
 * Converters: how keys, values and headers become bytes.
 *
 *     const converter = jsonConverterPlugin.create()
 *     converter.configure({ 'schemas.enable': 'false' }, false)
 *     const encoder = converter.encoderFor(schema)   // compiled once per schema object
 *     out.write(encoder.prefix)
 *     const hasValue = encoder.write(value, out)     // false: Kafka's null
 */
export { apicurioAvroConverterPlugin, AvroConverter, confluentAvroConverterPlugin } from './avro/avro-converter.ts'
export { AvroReader } from './avro/avro-reader.ts'
export { avroDataKeys } from './avro/avro-options.ts'
export { cloudEventsKeys } from './cloud-events/cloud-events-options.ts'
export { converterErrors } from './errors.ts'
export { JsonConverter, jsonConverterPlugin } from './json/json-converter.ts'
export { jsonConverterKeys } from './json/json-options.ts'
export { jsonSchemaKeys } from './json-schema/json-schema-options.ts'
export { ByteArrayConverter, byteArrayConverterPlugin } from './plain/byte-array-converter.ts'
export { SimpleHeaderConverter, simpleHeaderConverterPlugin } from './plain/simple-header-converter.ts'
export { converterPlugins } from './plugins.ts'
export { apicurioKeys, confluentKeys } from './registry/registry-keys.ts'
export { protobufKeys } from './protobuf/protobuf-options.ts'
export { StringConverter, stringConverterPlugin } from './plain/string-converter.ts'
export { CONVERTERS_VERSION } from './version.ts'
