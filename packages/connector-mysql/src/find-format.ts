import type { RecordFormatName, SchemaHistory } from '@tributary/connector-kit'
import { sideBySide } from '@tributary/support'
import { takesSnapshot } from './config/snapshot-mode.ts'
import { formatOfWorker } from './record-parts.ts'
import { formatOfHistory, type FormatReasons } from './source/choose-format.ts'
import { storedPosition, type TaskSettings } from './task-settings.ts'

/** What is known about the form of the records without reading the schema history. */
export function knownFormats(settings: TaskSettings): Omit<FormatReasons, 'ofHistory'> {
  return {
    asked: settings.config.recordFormat,
    ofOffset: storedPosition(settings)?.recordFormat ?? null,
    ofWorker: formatOfWorker(settings.context.workerDefaults),
  }
}

/**
 * Reads the form of earlier records from the schema history where nothing else decides; before a snapshot, also
 * connects to the history, so that the snapshot need not wait for that.
 */
export async function inspectHistory(
  settings: TaskSettings,
  history: SchemaHistory,
  signal: AbortSignal,
): Promise<RecordFormatName | null> {
  const { topicPrefix, snapshotMode } = settings.config
  const { asked, ofOffset } = knownFormats(settings)
  const isDecided = asked !== null || ofOffset !== null
  const read = async (limit: AbortSignal): Promise<RecordFormatName | null> =>
    isDecided ? null : formatOfHistory(history, topicPrefix, limit)
  const connect = async (limit: AbortSignal): Promise<void> => {
    if (takesSnapshot(snapshotMode, storedPosition(settings))) await history.connect(limit)
  }
  const [ofHistory] = await sideBySide([read, connect], signal)
  return ofHistory
}
