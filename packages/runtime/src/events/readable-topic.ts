import type { ConfigMap } from '@tributary/connect-api'

const HEARTBEAT_PREFIX = '__debezium-heartbeat'

/**
 * Whether a page may read a topic that a connector has written to. A transformation can route records to any topic of
 * the cluster, also to the configurations of another Connect cluster, which have passwords: so that a connector has
 * written to a topic does not mean that its records are the connector's.
 *
 * @param allowed `ui.events.topics`: names of further topics, or beginnings with `*` at their end
 */
export function isReadableTopic(topic: string, config: ConfigMap, allowed: readonly string[]): boolean {
  const prefix = config['topic.prefix'] ?? ''
  if (prefix === '') return isAllowed(topic, allowed)
  if (topic === `${config['topic.heartbeat.prefix'] ?? HEARTBEAT_PREFIX}.${prefix}`) return true
  if (topic.startsWith('__')) return false
  // The records of schema changes are in the topic with the name of the prefix.
  return topic === prefix || topic.startsWith(`${prefix}.`) || isAllowed(topic, allowed)
}

function isAllowed(topic: string, allowed: readonly string[]): boolean {
  if (topic.startsWith('__')) return false
  return allowed.some((entry) => (entry.endsWith('*') ? topic.startsWith(entry.slice(0, -1)) : topic === entry))
}
