import type { LogFields } from '@tributary/support'

/**
 * The names of what runs in a worker, by which operators set levels. They are those that Kafka Connect's loggers begin with, so that
 * scripts and runbooks for it find what they mean; those of the connectors come with the plug-ins.
 */
export const LOGGER_NAMES = {
  connect: 'org.apache.kafka.connect',
  worker: 'org.apache.kafka.connect.runtime',
  rest: 'org.apache.kafka.connect.runtime.rest',
  storage: 'org.apache.kafka.connect.storage',
  clients: 'org.apache.kafka.clients',
} as const

/** The fields of a child that has the name. */
export function loggerNamed(component: keyof typeof LOGGER_NAMES): LogFields {
  return { logger: LOGGER_NAMES[component] }
}
