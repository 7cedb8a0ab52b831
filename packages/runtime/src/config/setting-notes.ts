import type { ConfigMap } from '@tributary/connect-api'
import { overridesWithoutEffect } from './client-settings.ts'
import { topicCreationNotes } from './topic-creation-notes.ts'
import { usesTopicCreation } from './topic-creation-keys.ts'

/** A property of a connector that the runtime accepts and does not use as one might expect. */
export interface SettingNote {
  readonly property: string
  readonly message: string
}

/** Notes about the properties of the runtime itself, of a configuration that is valid. */
export function settingNotes(worker: ConfigMap, connector: ConfigMap): readonly SettingNote[] {
  const topics = Object.entries(topicCreationNotes(worker, connector))
  return [
    ...topics.map(([property, message]) => ({ property, message })),
    ...overrideReasons(connector).map(([property, reason]) => ({
      property,
      message: `${property} has no effect: ${reason}`,
    })),
  ]
}

/** The log lines of a task about them: one for all overrides of Kafka clients. */
export function settingLines(worker: ConfigMap, connector: ConfigMap): readonly string[] {
  const reasons = overrideReasons(connector).map(([property, reason]) => `${property} (${reason})`)
  const overrides = reasons.length === 0 ? [] : [`Settings of Kafka clients without effect: ${reasons.join(', ')}`]
  return [...Object.values(topicCreationNotes(worker, connector)), ...overrides]
}

function overrideReasons(connector: ConfigMap): readonly (readonly [property: string, reason: string])[] {
  const isAdminUsed = usesTopicCreation(connector)
  const unused = (prefix: string, reason: string): (readonly [string, string])[] =>
    Object.keys(connector).flatMap((name) => (name.startsWith(prefix) ? [[name, reason] as const] : []))
  const known = (client: 'producer' | 'admin'): (readonly [string, string])[] =>
    [...overridesWithoutEffect(client, connector)].map(([name, reason]) => [`${client}.override.${name}`, reason])
  return [
    ...known('producer'),
    ...(isAdminUsed ? known('admin') : unused('admin.override.', 'without topic.creation.… there is no admin client')),
    ...unused('consumer.override.', 'a source connector has no consumer'),
  ]
}
