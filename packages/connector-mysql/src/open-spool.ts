import { Spool, SpoolLockedError } from '@tributary/mysql'
import type { OffsetDocument } from '@tributary/connect-api'
import { CodedError, describeError, StoppedError } from '@tributary/support'
import { connectorErrors } from './errors.ts'
import { spoolFolder } from './config/spool-folder.ts'
import { decodeStatement } from './streaming/statement-decoder.ts'
import type { Flavor } from './flavor/flavor.ts'
import { LateSpool, type TaskSpool } from './streaming/spool/late-spool.ts'
import { OutageSpool, type OutageSpoolOptions } from './streaming/spool/outage-spool.ts'
import { partitionOf, taskLogger, type TaskSettings } from './task-settings.ts'

/**
 * Opens the spool of a task; null when the task has no spool. A spool that cannot be opened now is opened later.
 *
 * @throws SPOOL_IN_USE; StoppedError
 */
export async function openSpool(
  settings: TaskSettings,
  flavor: Flavor['name'],
  signal: AbortSignal,
): Promise<TaskSpool | null> {
  const { config, context } = settings
  const { clock, delivered } = context
  // A rehearsal writes nothing. Without delivery progress from the runtime, the task cannot notice an outage.
  if (config.spool === null || context.isRehearsal === true || delivered === undefined) return null
  const parts = { ...config.spool, delivered, flavor }
  const atStart = context.storedOffset(partitionOf(settings))
  const open = (stored: OffsetDocument | null, limit: AbortSignal): Promise<OutageSpool> =>
    openNow(settings, { ...parts, stored: stored ?? atStart }, limit)
  try {
    return await open(null, signal)
  } catch (error) {
    if (!(error instanceof CodedError) || !LATER_CODES.has(error.code)) throw error
    return new LateSpool({ failure: error, open, clock, logger: taskLogger(settings, 'streaming') })
  }
}

const LATER_CODES: ReadonlySet<string> = new Set(['SPOOL_UNUSABLE', 'SPOOL_DISK_FULL'])

interface SpoolParts {
  /** `binlog.spool.dir` */
  readonly folder: string
  readonly bytesMax: number
  readonly delivered: OutageSpoolOptions['delivered']
  readonly flavor: Flavor['name']
  readonly stored: OffsetDocument | null
}

/** @throws SPOOL_UNUSABLE, SPOOL_IN_USE, SPOOL_DISK_FULL; StoppedError */
async function openNow(settings: TaskSettings, parts: SpoolParts, signal: AbortSignal): Promise<OutageSpool> {
  const { config, context, numbers } = settings
  const { clock, connectorName, mayWrite = () => true } = context
  const { delivered, flavor, bytesMax, stored } = parts
  const folder = spoolFolder(parts.folder, connectorName)
  const logger = taskLogger(settings, 'streaming')
  // MariaDB sends ANNOTATE_ROWS events only on request, and event counts in offsets include them.
  const variant = flavor === 'mariadb' && config.includesQuery ? 'with statements' : ''
  try {
    const spool = await Spool.open({ folder, bytesMax, variant, clock, logger }, signal)
    return new OutageSpool({
      spool,
      stored,
      delivered,
      mayWrite,
      folder,
      silenceMsMax: config.keepAliveIntervalMs,
      address: `${config.host}:${config.port}`,
      decodeStatement,
      keepsStatements: config.includesQuery,
      numbers: numbers.streaming,
      clock,
      logger,
    })
  } catch (error) {
    if (error instanceof StoppedError) throw error
    if (error instanceof SpoolLockedError) throw connectorErrors.SPOOL_IN_USE({ folder, reason: error.message }, error)
    if (isDiskFull(error)) throw connectorErrors.SPOOL_DISK_FULL({ folder, reason: describeError(error) }, error)
    throw connectorErrors.SPOOL_UNUSABLE({ folder, reason: describeError(error) }, error)
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
