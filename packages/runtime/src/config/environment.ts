type Environment = Readonly<Record<string, string | undefined>>

/**
 * Variables of the Debezium image (connect-base/3.6, docker-entrypoint.sh) and the worker property that each sets. In the
 * image REST_HOST_NAME and REST_PORT have no effect since Kafka 3.0; here they choose where the REST interface listens, as
 * the specification has it.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  BOOTSTRAP_SERVERS: 'bootstrap.servers',
  GROUP_ID: 'group.id',
  CONFIG_STORAGE_TOPIC: 'config.storage.topic',
  OFFSET_STORAGE_TOPIC: 'offset.storage.topic',
  STATUS_STORAGE_TOPIC: 'status.storage.topic',
  REST_HOST_NAME: 'rest.host.name',
  REST_PORT: 'rest.port',
  ADVERTISED_HOST_NAME: 'rest.advertised.host.name',
  ADVERTISED_PORT: 'rest.advertised.port',
  KEY_CONVERTER: 'key.converter',
  VALUE_CONVERTER: 'value.converter',
  OFFSET_FLUSH_INTERVAL_MS: 'offset.flush.interval.ms',
  OFFSET_FLUSH_TIMEOUT_MS: 'offset.flush.timeout.ms',
  SHUTDOWN_TIMEOUT: 'task.shutdown.graceful.timeout.ms',
}

/**
 * Worker properties that the environment sets: the variables above, and any `CONNECT_X_Y` as `x.y`. A variable that is set to
 * nothing counts as not set.
 */
export function propertiesOfEnvironment(environment: Environment): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === '' || name.startsWith('CONNECT_LOG4J')) continue
    const property = VARIABLES[name] ?? connectProperty(name)
    if (property !== null) properties[property] = value
  }
  return properties
}

function connectProperty(name: string): string | null {
  return /^CONNECT_[A-Z0-9_]+$/.test(name) ? name.slice('CONNECT_'.length).toLowerCase().replaceAll('_', '.') : null
}

/** The variable that sets a worker property, for messages. */
export function variableOf(property: string): string {
  const found = Object.entries(VARIABLES).find(([, each]) => each === property)
  return found?.[0] ?? `CONNECT_${property.toUpperCase().replaceAll('.', '_')}`
}
