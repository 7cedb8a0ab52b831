import type { RecordFormatName, SchemaHistory } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import { StreamPosition } from '../offset/stream-position.ts'

/** What speaks for a form of the records; null where nothing does. */
export interface FormatReasons {
  /** `source.struct.version` of the connector. */
  readonly asked: RecordFormatName | null
  /** Form of the records before the stored offset. */
  readonly ofOffset: RecordFormatName | null
  /**
   * Form of the records of the time when the schema history was written. Not looked for where `asked` or `ofOffset`
   * decide.
   */
  readonly ofHistory: RecordFormatName | null
  /** `source.struct.version` of the worker: for connectors that begin. */
  readonly ofWorker: RecordFormatName | null
}

/**
 * A topic whose consumers know one form goes on in it, unless the connector itself is told otherwise. The worker's
 * setting is for new topics only: else setting it would change the form in the middle of all others.
 */
export function chooseFormat(
  { asked, ofOffset, ofHistory, ofWorker }: FormatReasons,
  logger: Logger,
): RecordFormatName {
  if (asked !== null) {
    if (ofOffset !== null && ofOffset !== asked) {
      logger.warn(
        `Records before the stored offset have the form ${ofOffset}; from here on they have the form ${asked}, as source.struct.version says`,
      )
    }
    return asked
  }
  if (ofOffset === 'v2') {
    logger.info(
      'The stored offset was written by Debezium, or by this connector with source.struct.version=v2: records go on in the form v2',
    )
  }
  if (ofOffset !== null) return ofOffset
  if (ofHistory === 'v2') {
    logger.info(
      'There is no stored offset, but a schema history that was written by Debezium, or by this connector with source.struct.version=v2: records go on in the form v2',
    )
  }
  return ofHistory ?? ofWorker ?? 'v1'
}

/**
 * The form of the records of the connector with that `topic.prefix` when the history was last written; null when it has
 * none of it.
 */
export async function formatOfHistory(
  history: SchemaHistory,
  topicPrefix: string,
  signal: AbortSignal,
): Promise<RecordFormatName | null> {
  if (!(await history.exists(signal))) return null
  let last: RecordFormatName | null = null
  await history.recover(({ source, position }) => {
    if (source['server'] === topicPrefix) last = StreamPosition.parse(position)?.recordFormat ?? last
  }, signal)
  return last
}
