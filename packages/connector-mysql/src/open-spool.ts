import { Spool, SpoolLockedError } from '@tributary/mysql'
import { describeError, StoppedError } from '@tributary/support'
import { connectorErrors } from './errors.ts'
import { spoolFolder } from './config/spool-folder.ts'
import { decodeStatement } from './streaming/statement-decoder.ts'
import type { Flavor } from './flavor/flavor.ts'
import { OutageSpool } from './streaming/spool/outage-spool.ts'
import { partitionOf, taskLogger, type TaskSettings } from './task-settings.ts'

/**
 * Opens the spool of a task; null when it has none.
 *
 * @throws SPOOL_UNUSABLE, SPOOL_IN_USE, SPOOL_DISK_FULL; StoppedError
 */
export async function openSpool(
  settings: TaskSettings,
  flavor: Flavor['name'],
  signal?: AbortSignal,
): Promise<OutageSpool | null> {
  const { config, context, numbers } = settings
  const { clock, connectorName, delivered, mayWrite = () => true } = context
  // A rehearsal writes nothing, and without the numbers of the runtime an outage is not noticed.
  if (config.spool === null || context.isRehearsal === true || delivered === undefined) return null
  const folder = spoolFolder(config.spool.folder, connectorName)
  const logger = taskLogger(settings, 'streaming')
  // MariaDB sends statements of rows only when asked, and counters of positions count them.
  const variant = flavor === 'mariadb' && config.includesQuery ? 'with statements' : ''
  try {
    const spool = await Spool.open({ folder, bytesMax: config.spool.bytesMax, variant, clock, logger }, signal)
    return new OutageSpool({
      spool,
      stored: context.storedOffset(partitionOf(settings)),
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
    throw connectorErrors.SPOOL_UNUSABLE({ folder, reason: describeError(error), connector: connectorName }, error)
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
