import { cliErrors } from '../errors.ts'

type Properties = Readonly<Record<string, string>>

/** What a worker needs besides its brokers, for a broker that belongs to it alone. */
const DEFAULTS: Properties = {
  'group.id': 'dev',
  'config.storage.topic': 'connect-configs',
  'offset.storage.topic': 'connect-offsets',
  'status.storage.topic': 'connect-statuses',
  // Each partition has a folder; the partitions of Kafka Connect are for clusters.
  'offset.storage.partitions': '1',
  'status.storage.partitions': '1',
}

/**
 * The properties of a worker on the development broker: those given, with the address of the broker and defaults for
 * what a worker requires.
 */
export function devWorkerProperties(given: Properties, bootstrapServers: string): Properties {
  return { ...DEFAULTS, ...given, 'bootstrap.servers': bootstrapServers }
}

/**
 * Refuses settings that contradict the development broker: other brokers, or a login to them.
 *
 * @param port null: any free one
 * @throws DEV_BROKER_SETTING
 */
export function checkDevBrokerSettings(given: Properties, port: number | null): void {
  for (const [property, value] of Object.entries(given)) {
    if (SERVERS.test(property) && !isOwn(value, port)) refuse(property, value)
    if (SECURITY.test(property) && value.trim().toUpperCase() !== 'PLAINTEXT') refuse(property, value)
  }
}

/** Of the worker, and of its clients. */
const SERVERS = /^((producer|consumer|admin)\.)?bootstrap\.servers$/
const SECURITY = /^((producer|consumer|admin)\.)?security\.protocol$/

function isOwn(value: string, port: number | null): boolean {
  return port !== null && new RegExp(`^\\s*(localhost|127\\.0\\.0\\.1):${port}\\s*$`).test(value)
}

function refuse(property: string, value: string): never {
  throw cliErrors.DEV_BROKER_SETTING({ setting: `${property}=${value}` })
}
