import type { RecordFormatName, SchemaHistory } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import { StreamPosition } from '../offset/stream-position.ts'

/** The sources that may decide the form of the records; null where one has no value. */
export interface FormatReasons {
  /** `source.struct.version` of the connector. */
  readonly asked: RecordFormatName | null
  /** Form of the records before the stored offset. */
  readonly ofOffset: RecordFormatName | null
  /** Form of the records when the schema history was written. Not read where `asked` or `ofOffset` decide. */
  readonly ofHistory: RecordFormatName | null
  /** `source.struct.version` of the worker: for new connectors. */
  readonly ofWorker: RecordFormatName | null
}

/**
 * A topic keeps its form, which its consumers know, unless the connector's own property sets another. The worker's
 * setting is for new topics only: otherwise it would change the form in the middle of all existing ones.
 */
export function chooseFormat(
  { asked, ofOffset, ofHistory, ofWorker }: FormatReasons,
  logger: Logger,
): RecordFormatName {
  if (asked !== null) {
    if (ofOffset !== null && ofOffset !== asked) {
      logger.warn(
        `Records before the stored offset have the form ${ofOffset}; from here on they have the form ${asked}, as set by source.struct.version`,
      )
    }
    return asked
  }
  if (ofOffset === 'v2') {
    logger.info(
      'The stored offset was written by Debezium, or by this connector with source.struct.version=v2: records continue in the form v2',
    )
  }
  if (ofOffset !== null) return ofOffset
  if (ofHistory === 'v2') {
    logger.info(
      'There is no stored offset, but a schema history that was written by Debezium, or by this connector with source.struct.version=v2: records continue in the form v2',
    )
  }
  return ofHistory ?? ofWorker ?? 'v1'
}

/**
 * The form of the last records of the connector with that `topic.prefix`; null when the history has no record of it.
 */
export async function formatOfHistory(
  history: SchemaHistory,
  topicPrefix: string,
  signal: AbortSignal,
): Promise<RecordFormatName | null> {
  let last: RecordFormatName | null = null
  await history.recover(
    ({ source, position }) => {
      if (source['server'] === topicPrefix) last = StreamPosition.parse(position)?.recordFormat ?? last
    },
    { signal },
  )
  return last
}
