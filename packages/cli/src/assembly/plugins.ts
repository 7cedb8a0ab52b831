import type { Plugin } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import {
  apicurioAvroConverterPlugin,
  byteArrayConverterPlugin,
  confluentAvroConverterPlugin,
  jsonConverterPlugin,
  simpleHeaderConverterPlugin,
  stringConverterPlugin,
} from '@tributary/converters'
import { transformationPlugins } from '@tributary/transforms'

/** Every class that a configuration can name. The main thread and the threads of tasks import this same list. */
export const plugins: readonly Plugin[] = [
  mysqlConnectorPlugin,
  mariadbConnectorPlugin,
  jsonConverterPlugin,
  stringConverterPlugin,
  byteArrayConverterPlugin,
  simpleHeaderConverterPlugin,
  confluentAvroConverterPlugin,
  apicurioAvroConverterPlugin,
  ...transformationPlugins,
]
