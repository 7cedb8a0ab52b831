import type { ConfigKey } from '@tributary/connect-api'
import { text } from './key-validators.ts'

/** Shorter intervals would only cost the server logins: files are purged after minutes at the earliest. */
const INTERVAL_MS_MIN = 1000

/** More would be lines that nobody reads. */
const WARNINGS_MAX = 10

/** Properties of the time that remains until the server purges what the connector needs. Debezium has none of them. */
export const lossKeys: readonly ConfigKey[] = [
  {
    name: 'binlog.loss.check.interval.ms',
    type: 'LONG',
    defaultValue: '60000',
    group: 'Connector',
    validators: [
      (value) =>
        Number(value) === 0 || (Number(value) >= INTERVAL_MS_MIN && Number(value) <= 86_400_000)
          ? null
          : `Value must be 0, or from ${INTERVAL_MS_MIN} to 86400000`,
    ],
    documentation:
      'How often the worker asks the server when it will purge the binlog that the connector still needs, whatever the state of the connector, in milliseconds. 0: never.',
  },
  {
    name: 'binlog.loss.warning.seconds',
    type: 'LIST',
    defaultValue: '86400,21600,3600',
    group: 'Connector',
    validators: [
      (value) => {
        const entries = Array.isArray(value) ? value : []
        const isValid = entries.length <= WARNINGS_MAX && entries.every((each) => /^[1-9]\d{0,9}$/.test(String(each)))
        return isValid ? null : `Value must be at most ${WARNINGS_MAX} whole numbers of seconds, not '${text(value)}'`
      },
    ],
    documentation:
      'Remaining times until the earliest purge, in seconds, at which the log has a warning, once each. Times that are not below the retention of the server count as half of it. Empty: no warnings; a loss is logged all the same.',
  },
]
