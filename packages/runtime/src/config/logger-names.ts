import type { LogFields } from '@tributary/support'

/**
 * The logger names of the components of a worker, for which operators set levels. They are the prefixes of Kafka
 * Connect's logger names, so that its scripts and runbooks work. The plug-ins define the names of the connectors.
 */
export const LOGGER_NAMES = {
  connect: 'org.apache.kafka.connect',
  worker: 'org.apache.kafka.connect.runtime',
  rest: 'org.apache.kafka.connect.runtime.rest',
  storage: 'org.apache.kafka.connect.storage',
  clients: 'org.apache.kafka.clients',
} as const

/** The fields of a child logger with the name. */
export function loggerNamed(component: keyof typeof LOGGER_NAMES): LogFields {
  return { logger: LOGGER_NAMES[component] }
}
