import { createHash } from 'node:crypto'
import type { ConnectorConfig } from './config/connector-config.ts'

/** The same for every run of a connector: by it, the server ends the dump thread of an earlier run that was killed. */
export function replicaUuid(
  connectorName: string,
  { topicPrefix, serverId }: Pick<ConnectorConfig, 'topicPrefix' | 'serverId'>,
): string {
  const hex = createHash('sha256').update(`${connectorName}\0${topicPrefix}\0${serverId}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
