type Environment = Readonly<Record<string, string | undefined>>

/**
 * The variables of the Debezium image (connect-base/3.6, docker-entrypoint.sh), and the worker property that each sets.
 * REST_HOST_NAME and REST_PORT set the address on which the REST interface listens; in the image they have had no
 * effect since Kafka 3.0. HOST_NAME sets only the host name under which others reach the worker.
 */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['HOST_NAME', 'rest.advertised.host.name'],
  ['BOOTSTRAP_SERVERS', 'bootstrap.servers'],
  ['GROUP_ID', 'group.id'],
  ['CONFIG_STORAGE_TOPIC', 'config.storage.topic'],
  ['OFFSET_STORAGE_TOPIC', 'offset.storage.topic'],
  ['STATUS_STORAGE_TOPIC', 'status.storage.topic'],
  ['REST_HOST_NAME', 'rest.host.name'],
  ['REST_PORT', 'rest.port'],
  ['ADVERTISED_HOST_NAME', 'rest.advertised.host.name'],
  ['ADVERTISED_PORT', 'rest.advertised.port'],
  ['KEY_CONVERTER', 'key.converter'],
  ['VALUE_CONVERTER', 'value.converter'],
  ['OFFSET_FLUSH_INTERVAL_MS', 'offset.flush.interval.ms'],
  ['OFFSET_FLUSH_TIMEOUT_MS', 'offset.flush.timeout.ms'],
  ['SHUTDOWN_TIMEOUT', 'task.shutdown.graceful.timeout.ms'],
])

/**
 * The worker properties that the environment sets: `CONNECT_X_Y` sets `x.y`; the variables above override these, and
 * later ones override earlier ones. An empty variable counts as not set. As in the image, if no brokers are set, they
 * are taken from the variables of linked containers and Kubernetes services
 * (`KAFKA_PORT_9092_TCP=tcp://10.0.0.7:9092`).
 */
export function propertiesOfEnvironment(environment: Environment): Record<string, string> {
  const properties: Record<string, string> = {}
  for (const [name, value] of entriesOf(environment)) {
    if (CONNECT_PROPERTY.test(name) && !name.startsWith('CONNECT_LOG4J')) properties[propertyOf(name)] = value
  }
  const linked = linkedBrokers(environment)
  if (linked !== '') properties['bootstrap.servers'] ??= linked
  for (const [name, property] of VARIABLES) {
    const value = environment[name] ?? ''
    if (value !== '') properties[property] = value
  }
  return properties
}

const CONNECT_PROPERTY = /^CONNECT_[A-Z0-9_]+$/

function propertyOf(variable: string): string {
  return variable.slice('CONNECT_'.length).toLowerCase().replaceAll('_', '.')
}

/** Addresses without their `tcp://`, in the order of the variables' names. */
function linkedBrokers(environment: Environment): string {
  return entriesOf(environment)
    .filter(([name]) => name.endsWith('_PORT_9092_TCP'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value.replace(/^tcp:\/\//, ''))
    .join(',')
}

function entriesOf(environment: Environment): readonly (readonly [string, string])[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  )
}

/** The name of the variable that sets a worker property, for messages. */
export function variableOf(property: string): string {
  for (const [variable, each] of VARIABLES) if (each === property && variable !== 'HOST_NAME') return variable
  return `CONNECT_${property.toUpperCase().replaceAll('.', '_')}`
}
