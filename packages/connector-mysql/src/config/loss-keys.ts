import { isAbsolute } from 'node:path'
import type { ConfigKey } from '@tributary/connect-api'
import { text } from './key-validators.ts'

/** Shorter intervals would only cost the server logins: files are purged after minutes at the earliest. */
const INTERVAL_MS_MIN = 1000

/** More would be lines that nobody reads. */
const WARNINGS_MAX = 10

/** A file is a sixteenth of the spool. The spool also needs room for the records in flight, up to 32 MiB. */
const SPOOL_BYTES_MIN = 16 << 20

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
  {
    name: 'binlog.spool.dir',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [
      (value) =>
        value === null || value === '' || isAbsolute(String(value))
          ? null
          : 'Value must be an absolute path, such as /var/lib/tributary/spool',
    ],
    documentation:
      'Folder, as an absolute path on the machine of the worker, into which the task reads the binlog while the brokers are unreachable. It sends the events from there later, even if the server has purged them. The files contain rows of tables. Default: the task stops reading in an outage.',
  },
  {
    name: 'binlog.spool.max.bytes',
    type: 'LONG',
    defaultValue: '10737418240',
    group: 'Connector',
    validators: [
      (value) =>
        Number(value) >= SPOOL_BYTES_MIN && Number.isSafeInteger(Number(value))
          ? null
          : `Value must be at least ${SPOOL_BYTES_MIN} and at most ${Number.MAX_SAFE_INTEGER}`,
    ],
    documentation:
      'Limit on the bytes of the files of this connector in binlog.spool.dir, at least 16 MiB. When the spool is full, the task stops reading, logs it, and continues when the brokers have acknowledged a part of the spool.',
  },
]
