import type { RecordFormatName } from '@tributary/connector-kit'
import { answeredWithin, MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { takesSnapshot } from './config/snapshot-mode.ts'
import { findMissing as findMissingOnServer } from './flavor/find-missing.ts'
import type { Flavor, MissingPosition, ServerInfo } from './flavor/flavor.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { PreFlight } from './pre-flight/pre-flight.ts'
import { throwErrors } from './pre-flight/throw-errors.ts'
import { replicaUuid } from './replica-uuid.ts'
import { readFileCreated } from './flavor/file-created.ts'
import { storedPosition, taskLogger, type TaskSettings } from './task-settings.ts'

/** A server that passed the pre-flight checks. */
export interface Server {
  readonly flavor: Flavor
  readonly info: ServerInfo
  /** False: the user has no privilege for a lock. Checked for a snapshot only. */
  readonly mayLock: boolean
}

/**
 * Runs the pre-flight checks. Logs their warnings, each once; throws their errors, all of them in one error.
 *
 * @param needsSnapshot also checks the tables and the privileges for a snapshot. Default: where `snapshot.mode` and the
 *   stored offset alone lead to one
 */
export async function inspectServer(
  settings: TaskSettings,
  connection: MySqlConnectionOptions,
  signal: AbortSignal,
  needsSnapshot: boolean = takesSnapshot(settings.config.snapshotMode, storedPosition(settings)),
): Promise<Server> {
  const { config, context, loggedWarnings } = settings
  const preFlight = new PreFlight({
    config,
    connection,
    needsSnapshot,
    replicaUuid: replicaUuid(context.connectorName, config),
  })
  const { facts, findings } = await answeredWithin(
    { ...answerLimit(settings), doing: () => preFlight.doing },
    (limit) => preFlight.run(limit),
    signal,
  )
  const logger = taskLogger(settings, 'task')
  for (const { code, message } of findings.filter(({ severity }) => severity === 'warning')) {
    if (!loggedWarnings.has(message)) logger.warn(`${message} [${code}]`, { code })
    loggedWarnings.add(message)
  }
  throwErrors(findings, { address: facts.address, connector: context.connectorName })
  return {
    flavor: facts.flavor,
    info: facts.info,
    mayLock: !findings.some(({ code }) => code === 'SNAPSHOT_WITHOUT_LOCK'),
  }
}

/** Returns which part of the binlog after a stored position the server lacks; null when it has all of it. */
export function findMissing(
  settings: TaskSettings,
  { flavor, info }: Server,
  options: MySqlConnectionOptions,
  { stored, signal }: { readonly stored: StreamPosition; readonly signal: AbortSignal },
): Promise<MissingPosition | null> {
  return answeredWithin(
    { ...answerLimit(settings), doing: () => 'looking for the stored position' },
    async (limit) => {
      await using connection = await MySqlConnection.open(options, limit)
      const { clock } = settings.context
      const createdOf = (file: string, inner: AbortSignal): Promise<number | null> =>
        readFileCreated({ flavor, connection: options, clock }, file, inner)
      return await findMissingOnServer({ flavor, info, connection, readFileCreated: createdOf }, stored, limit)
    },
    signal,
  )
}

/** Reads where the oldest binlog file of the server begins. `format`: of the records after it. */
export function readBeginning(
  settings: TaskSettings,
  { flavor, info }: Server,
  options: MySqlConnectionOptions,
  { format, signal }: { readonly format: RecordFormatName; readonly signal: AbortSignal },
): Promise<StreamPosition> {
  return answeredWithin(
    { ...answerLimit(settings), doing: () => 'looking for the oldest binlog file' },
    async (limit) => {
      await using connection = await MySqlConnection.open(options, limit)
      const { clock } = settings.context
      const { file: name, position, gtids } = await flavor.readFirstPosition(connection, info, limit)
      const createdSeconds = await readFileCreated({ flavor, connection: options, clock }, name, limit)
      const executed = gtids === null ? '' : gtids.toString()
      return StreamPosition.at(
        { file: { name, createdSeconds }, position, gtids: executed === '' ? null : flavor.parseGtids(executed) },
        {
          timestampSeconds: Math.floor(clock.now() / 1000),
          serverId: 0,
          isSnapshotUnfinished: false,
          recordFormat: format,
          serverIdentity: info.identity,
        },
      )
    },
    signal,
  )
}

function answerLimit({ context, config }: TaskSettings): Omit<Parameters<typeof answeredWithin>[0], 'doing'> {
  return { clock: context.clock, limitMs: ANSWER_MS_MAX, address: `${config.host}:${config.port}` }
}

/**
 * Reading the catalogue of a server with many tables takes minutes; a server that is silent for longer has been cut
 * off.
 */
const ANSWER_MS_MAX = 300_000
