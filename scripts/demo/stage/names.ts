import { randomBytes, randomInt } from 'node:crypto'
import type { DemoOptions } from './options.ts'

/** The names of everything that the demo creates. */
export interface Names {
  readonly connector: string
  readonly database: string
  readonly topicPrefix: string
  readonly historyTopic: string
  readonly configTopic: string
  readonly offsetTopic: string
  readonly statusTopic: string
  /** The connector's id among the replicas of the database server. */
  readonly serverId: number
}

/**
 * Chooses the names of the documentation's examples on the demo's own servers, and unique names on the user's servers.
 */
export function chooseNames({ database, broker }: DemoOptions): Names {
  const suffix = randomBytes(3).toString('hex')
  const isOurs = broker.tag !== 'own'
  const topics = isOurs ? '' : `tributary_demo_${suffix}.`
  return {
    connector: 'inventory-connector',
    database: database === null ? 'inventory' : `inventory_demo_${suffix}`,
    topicPrefix: isOurs ? 'dbserver1' : `tributary_demo_${suffix}`,
    historyTopic: `${topics}schemahistory.inventory`,
    configTopic: `${topics}connect_configs`,
    offsetTopic: `${topics}connect_offsets`,
    statusTopic: `${topics}connect_statuses`,
    serverId: database === null ? 184_054 : randomInt(100_000_000, 2 ** 31),
  }
}

export function topicOf({ topicPrefix, database }: Names, table: string): string {
  return `${topicPrefix}.${database}.${table}`
}
