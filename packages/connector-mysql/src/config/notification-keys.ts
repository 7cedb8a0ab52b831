import type { ConfigKey, ConfigValues } from '@tributary/connect-api'
import { channelsOf, requiredWithChannel } from './key-validators.ts'

export interface NotificationConfig {
  readonly isLogged: boolean
  /** `notification.sink.topic.name`; null: notifications are not sent to a topic. */
  readonly topic: string | null
}

/** The properties of notifications, with the names and defaults of Debezium 3.6. */
export const notificationKeys: readonly ConfigKey[] = [
  {
    name: 'notification.enabled.channels',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    documentation:
      'Where notifications about snapshots go, separated by commas: sink (the topic of notification.sink.topic.name), log. The channel jmx of Debezium has no effect.',
    difference: { tag: 'differently', how: 'The channel jmx has no effect.' },
  },
  {
    name: 'notification.sink.topic.name',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [
      requiredWithChannel(
        'notification.enabled.channels',
        'sink',
        'Notification topic name must be provided when the sink notification channel is enabled',
      ),
    ],
    documentation: 'The topic of the channel sink.',
  },
]

export function notificationConfig(values: ConfigValues): NotificationConfig {
  const channels = channelsOf(values.optionalString('notification.enabled.channels') ?? '')
  const topic = values.optionalString('notification.sink.topic.name')?.trim() ?? null
  return { isLogged: channels.includes('log'), topic: channels.includes('sink') ? topic : null }
}
