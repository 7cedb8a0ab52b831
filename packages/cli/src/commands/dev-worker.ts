import { ConnectWorker, LogTail } from '@tributary/runtime'
import { doneOr, StoppedError, systemClock } from '@tributary/support'
import { BUILD_COMMIT, loadPage, THREAD } from '../assembly/build.ts'
import { devWorkerProperties } from '../dev-broker/dev-worker-properties.ts'
import { cliErrors } from '../errors.ts'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'

export interface DevWorkerOptions {
  readonly bootstrapServers: string
  /** Null: the default one, or a free one. */
  readonly restPort: number | null
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const REST_PORT = 8083

const PROPERTIES: Readonly<Record<string, string>> = {
  'rest.host.name': '127.0.0.1',
  // A killed process repeats at most the records of this time.
  'offset.flush.interval.ms': '1000',
  'task.shutdown.graceful.timeout.ms': '1000',
  // Of the variables of the process, configurations may name those of the command only.
  'config.providers': 'dev',
  'config.providers.dev.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
  'config.providers.dev.param.allowlist.pattern': 'TRIBUTARY_DEV_.*',
}

/**
 * Starts the worker of `tributary dev`.
 *
 * @throws DEV_REST_PORT, or what a worker throws
 */
export async function startDevWorker(options: DevWorkerOptions): Promise<ConnectWorker> {
  const { restPort } = options
  try {
    return await start(restPort ?? REST_PORT, options)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'REST_ADDRESS_IN_USE'
    if (!isTaken) throw error
    if (restPort !== null) throw cliErrors.DEV_REST_PORT({ port: restPort })
    return start(0, options)
  }
}

function start(port: number, { bootstrapServers, environment, signal }: DevWorkerOptions): Promise<ConnectWorker> {
  const logLevels = logLevelsOf(environment)
  const logTail = new LogTail()
  return ConnectWorker.start({
    properties: devWorkerProperties({ ...PROPERTIES, 'rest.port': String(port) }, bootstrapServers),
    loadPlugins: async () => (await import('../assembly/plugins.ts')).plugins,
    threadUrl: THREAD,
    commit: BUILD_COMMIT,
    logger: createStdoutLogger(environment, logLevels, (line) => logTail.add(line)),
    logLevels,
    logTail,
    loadPage,
    clock: systemClock,
    signal,
  })
}

/** The command ends two seconds after its signal. What a task has not committed by then, it repeats. */
const STOP_LIMIT_MS = 1_000

export async function stopDevWorker(worker: ConnectWorker): Promise<void> {
  const limit = new AbortController()
  const timer = systemClock.after(STOP_LIMIT_MS, () => limit.abort())
  try {
    await doneOr(worker.stop(), limit.signal)
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
  } finally {
    timer.cancel()
  }
}
