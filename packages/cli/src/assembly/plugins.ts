import type { PluginList } from '@tributary/connect-api'
import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { converterPlugins } from '@tributary/converters'

/** Every class that a configuration can name. The main thread and the threads of tasks import this same list. */
export const plugins: PluginList = [
  mysqlConnectorPlugin,
  mariadbConnectorPlugin,
  ...converterPlugins,
  {
    type: 'lazy',
    isNamedIn: ({ transforms, predicates }) => [transforms, predicates].some((names) => (names ?? '').trim() !== ''),
    load: async () => (await import('@tributary/transforms')).transformationPlugins,
  },
]
