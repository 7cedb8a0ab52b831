import type { LossForecast } from '@tributary/connect-api'
import type { Growth, ListedFile } from './binlog-growth.ts'
import type { Retention } from './retention.ts'

/** What a forecast is computed from. Times are milliseconds since 1970 by the worker's clock unless named otherwise. */
export interface BinlogState {
  readonly nowMs: number
  /** The files of the server, oldest first. */
  readonly files: readonly ListedFile[]
  /** Index of the oldest file that the connector needs. */
  readonly needed: number
  /** How far it has read that file. */
  readonly position: number
  /**
   * When the server last wrote to that file, or an earlier time if that is not known; null while it still does.
   */
  readonly closedMs: number | null
  readonly growth: Growth | null
  readonly retention: Retention
  /** What is uncertain about the rest, in sentences. */
  readonly notes: readonly string[]
}

/** One rule's answer. */
interface Limit {
  /** The first moment at which the rule may purge the file; null: not at the present growth. */
  readonly earliestMs: number | null
  readonly expectedMs: number | null
  readonly bytes: number | null
  readonly files: number | null
}

/**
 * Computes when the server will purge the oldest file that a connector needs.
 *
 * - The earliest moment is when the file has expired: a server purges it when it begins its next file, and that can happen
 *   at any time (FLUSH BINARY LOGS, a restart). The file that is being written expires when it is as old, counted from now.
 * - The expected moment is when the server fills the file after that, at the present growth.
 *
 * The modification time of a file has whole seconds, and must be before the limit; hence the second that is added.
 */
export function forecast(state: BinlogState): LossForecast {
  const { retention, growth, files, needed, notes } = state
  const size = sizeRule(state)
  const limits = [timeRule(state), size].filter((limit) => limit !== null)
  const isActive = needed === files.length - 1
  const isSizeOpen = size !== null && size.earliestMs === null
  const isGrowthMissing = isSizeOpen && growth === null
  return {
    state: !retention.isComplete || isGrowthMissing ? 'unknown' : 'kept',
    earliestMs: least(limits.map(({ earliestMs }) => earliestMs)),
    expectedMs: least(limits.map(({ expectedMs }) => expectedMs)),
    // A limit of the size can purge the active file as soon as the next one begins, and so does a service that keeps
    // nothing: neither waits until the file has expired.
    isRunningOut: !isActive || retention.totalBytes !== null || retention.seconds === 0,
    retentionSeconds: retention.seconds,
    bytes: least(limits.map(({ bytes }) => bytes)),
    files: least(limits.map(({ files: begun }) => begun)),
    neededFile: files[needed]?.name ?? null,
    backlogBytes: Math.max(0, bytesFrom(files, needed) - state.position),
    backlogFiles: files.length - needed,
    growthBytesPerSecond: growth === null ? null : Math.round(growth.mean),
    retention: retention.settings,
    notes: [
      ...notes,
      ...retention.notes,
      ...(isGrowthMissing ? ['The growth of the binlog is not measured yet.'] : []),
      ...(isSizeOpen && growth !== null ? [idleNote(size.bytes)] : []),
      ...(retention.totalBytes !== null ? ['A burst of writes can reach the limit of the total size sooner.'] : []),
    ],
    problem: null,
  }
}

function idleNote(bytes: number | null): string {
  return `The server has written nothing since the growth is measured (at most an hour): it reaches the limit of the total size when it has written ${bytes} bytes more.`
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function bytesFrom(files: readonly ListedFile[], first: number): number {
  return files.slice(first).reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Null: there is no limit in time. */
function timeRule({ retention, nowMs, closedMs, growth, files }: BinlogState): Limit | null {
  const { seconds, needsNewFile, fileBytesMax } = retention
  if (seconds === null) return null
  // A service that keeps nothing compares no times.
  const keptMs = seconds === 0 ? 0 : (seconds + 1) * 1000
  const earliestMs = Math.max(nowMs, (closedMs ?? nowMs) + keptMs)
  if (!needsNewFile) {
    const bytes = growth === null ? null : bytesWithin(growth, earliestMs - nowMs)
    return { earliestMs, expectedMs: earliestMs, bytes, files: null }
  }
  if (growth === null || growth.mean <= 0) return { earliestMs, expectedMs: null, bytes: null, files: null }
  const stepMs = (fileBytesMax * 1000) / growth.mean
  const firstMs = nowMs + (Math.max(0, fileBytesMax - (files.at(-1)?.bytes ?? 0)) * 1000) / growth.mean
  // The file that is being written is complete, and its time begins, when the server begins the next one.
  const expiredMs = closedMs === null ? firstMs + keptMs : earliestMs
  const later = Math.max(0, Math.ceil((expiredMs - firstMs) / stepMs))
  const expectedMs = Math.round(firstMs + later * stepMs)
  return { earliestMs, expectedMs, bytes: bytesWithin(growth, expectedMs - nowMs), files: 1 + later }
}

function bytesWithin({ mean }: Growth, ms: number): number {
  return Math.round((mean * ms) / 1000)
}

/** Null: there is no limit of the total size. */
function sizeRule({ retention, nowMs, closedMs, growth, files, needed }: BinlogState): Limit | null {
  const { totalBytes, fileBytesMax } = retention
  if (totalBytes === null) return null
  const activeBytes = files.at(-1)?.bytes ?? 0
  const untilFull = Math.max(0, fileBytesMax - activeBytes)
  const room = Math.max(0, totalBytes - bytesFrom(files, needed))
  // The file that is being written is not purged before the server begins the next one.
  const bytes = closedMs === null ? Math.max(room, untilFull) : room
  const after = (rate: number | undefined): number | null =>
    bytes === 0 ? nowMs : rate === undefined || rate <= 0 ? null : Math.round(nowMs + (bytes * 1000) / rate)
  // A burst on an idle server has no rate, but may fill a file at any time.
  const isIdle = growth !== null && growth.peak <= 0
  return {
    earliestMs: isIdle && bytes < fileBytesMax ? nowMs : after(growth?.peak),
    expectedMs: after(growth?.mean),
    bytes,
    files: bytes < untilFull ? 0 : 1 + Math.floor((bytes - untilFull) / fileBytesMax),
  }
}
