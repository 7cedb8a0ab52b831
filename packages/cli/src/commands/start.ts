import { ConnectWorker, LogTail, parseProperties, propertiesOfEnvironment, runtimeErrors } from '@tributary/runtime'
import { describeError, StoppedError, systemClock, toError } from '@tributary/support'
import { readFile } from 'node:fs/promises'
import { BROKER_THREAD, BUILD_COMMIT, loadPage, THREAD, WATCHDOG_THREAD } from '../assembly/build.ts'
import { DevBroker } from '../dev-broker/dev-broker.ts'
import { checkDevBrokerSettings, devWorkerProperties } from '../dev-broker/dev-worker-properties.ts'
import { cliErrors } from '../errors.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { ServiceManager } from '../process/service-manager.ts'
import { Watchdog } from '../process/watchdog.ts'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import { startTelemetry } from '../telemetry/start-telemetry.ts'
import { PROGRAM_VERSION } from '../version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the command line. */
export interface StartOptions {
  /** Runs the development broker in this process: on that port, or with `true` on a free one. */
  readonly devBroker?: number | true
  /** Where the development broker keeps its topics. */
  readonly devData?: string
}

/**
 * `tributary start [properties file]`: runs a worker until SIGINT or SIGTERM. The environment overrides the settings of
 * the file. Returns the exit code.
 */
export async function start(
  propertiesFile: string | undefined,
  options: StartOptions,
  environment: Environment,
): Promise<ExitCode> {
  const logLevels = logLevelsOf(environment)
  const logTail = new LogTail()
  const logger = createStdoutLogger(environment, logLevels, (line) => logTail.add(line))
  const watchdog = new Watchdog(WATCHDOG_THREAD, logger)
  const manager = new ServiceManager({ environment, logger, clock: systemClock })
  let worker: ConnectWorker | null = null
  let broker: DevBroker | null = null
  const ending = endingSignal((name) => {
    logger.info(`Received ${name}: stopping`)
    manager.stopping()
    watchdog.limitStop(worker?.stopLimitMs ?? STARTING_STOP_LIMIT_MS)
  })
  try {
    const given = { ...(await readProperties(propertiesFile)), ...propertiesOfEnvironment(environment) }
    broker = await startDevBroker(given, options, { onLogLine: (line) => logTail.add(line), signal: ending })
    const properties = broker === null ? given : devWorkerProperties(given, broker.bootstrapServers)
    worker = await ConnectWorker.start({
      properties,
      loadPlugins: async () => (await import('../assembly/plugins.ts')).plugins,
      threadUrl: THREAD,
      commit: BUILD_COMMIT,
      logger,
      logLevels,
      logTail,
      loadPage,
      onStage: (stage) => manager.status(stage),
      clock: systemClock,
      signal: broker === null ? ending : AbortSignal.any([ending, broker.failed]),
    })
    const started = worker
    const telemetry = await startTelemetry(environment, {
      version: PROGRAM_VERSION,
      workerId: started.workerId,
      snapshot: () => started.metrics.snapshot(),
      logger,
      clock: systemClock,
    })
    manager.ready((limitMs) => started.condition(limitMs))
    const failing = AbortSignal.any(broker === null ? [worker.failed] : [worker.failed, broker.failed])
    await aborted(AbortSignal.any([ending, failing]))
    const failure: unknown = failing.reason
    if (failure !== undefined) {
      logger.error(`Worker must stop: ${describeError(failure)}`)
      watchdog.limitStop(worker.stopLimitMs)
      manager.stopping()
    }
    // Export the last metrics before the tasks stop.
    await Promise.all([telemetry?.[Symbol.asyncDispose](), worker.stop()])
    logger.info('Worker stopped')
    return failure === undefined ? EXIT.ok : exitCodeOf(failure)
  } catch (thrown) {
    const error = broker === null ? thrown : broker.causeOf(thrown)
    if (error instanceof StoppedError) return EXIT.ok
    logger.error(`Worker cannot start: ${describeError(error)}`)
    if (environment['LOG_LEVEL']?.toLowerCase() === 'debug') logger.debug('Details', { error: toError(error) })
    return exitCodeOf(error)
  } finally {
    await broker?.close()
    await manager.delivered()
  }
}

interface DevBrokerContext {
  readonly onLogLine: (line: string) => void
  readonly signal: AbortSignal
}

/** Null: the worker uses the brokers of its settings. */
async function startDevBroker(
  given: Readonly<Record<string, string>>,
  { devBroker, devData }: StartOptions,
  { onLogLine, signal }: DevBrokerContext,
): Promise<DevBroker | null> {
  if (devBroker === undefined) {
    if (devData !== undefined) throw cliErrors.DEV_BROKER_ABSENT({ option: '--dev-data' })
    return null
  }
  const port = devBroker === true ? null : devBroker
  checkDevBrokerSettings(given, port)
  return DevBroker.start({ threadUrl: BROKER_THREAD, port: port ?? 0, folder: devData ?? null, onLogLine }, signal)
}

/** A worker that starts runs no tasks yet, unless it is starting the stored connectors. */
const STARTING_STOP_LIMIT_MS = 30_000

async function readProperties(path: string | undefined): Promise<Record<string, string>> {
  if (path === undefined) return {}
  try {
    return parseProperties(await readFile(path, 'utf8'))
  } catch (error) {
    throw runtimeErrors.WORKER_FILE_UNREADABLE({ path, reason: describeError(error) }, error)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
