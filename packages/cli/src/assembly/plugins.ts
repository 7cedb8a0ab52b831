import type { PluginList } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
<<<<<<< HEAD
import {
  apicurioAvroConverterPlugin,
  byteArrayConverterPlugin,
  confluentAvroConverterPlugin,
  jsonConverterPlugin,
  simpleHeaderConverterPlugin,
  stringConverterPlugin,
} from '@tributary/converters'
=======
import { converterPlugins } from '@tributary/converters'
import { transformationPlugins } from '@tributary/transforms'
>>>>>>> a7fd84d (feat(converters): Kafka's converters of single values, as values and headers, and Debezium's two for bytes)

/** Every class that a configuration can name. The main thread and the threads of tasks import this same list. */
export const plugins: PluginList = [
  mysqlConnectorPlugin,
  mariadbConnectorPlugin,
<<<<<<< HEAD
  jsonConverterPlugin,
  stringConverterPlugin,
  byteArrayConverterPlugin,
  simpleHeaderConverterPlugin,
  confluentAvroConverterPlugin,
  apicurioAvroConverterPlugin,
  {
    type: 'lazy',
    isNamedIn: ({ transforms, predicates }) => [transforms, predicates].some((names) => (names ?? '').trim() !== ''),
    load: async () => (await import('@tributary/transforms')).transformationPlugins,
  },
=======
  ...converterPlugins,
  ...transformationPlugins,
>>>>>>> a7fd84d (feat(converters): Kafka's converters of single values, as values and headers, and Debezium's two for bytes)
]
