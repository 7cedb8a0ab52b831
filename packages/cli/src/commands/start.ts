import { ConnectWorker, parseProperties, propertiesOfEnvironment, runtimeErrors } from '@tributary/runtime'
import { describeError, StoppedError, systemClock, toError } from '@tributary/support'
import { readFile } from 'node:fs/promises'
import { BUILD_COMMIT, TASK_THREAD } from '../assembly/build.ts'
import { endingSignal } from '../process/ending-signal.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-code.ts'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * `tributary start [properties file]`: runs a worker until SIGINT or SIGTERM. The environment overrides the settings of
 * the file. Returns the exit code.
 */
export async function start(propertiesFile: string | undefined, environment: Environment): Promise<ExitCode> {
  const logLevels = logLevelsOf(environment)
  const logger = createStdoutLogger(environment, logLevels)
  const ending = endingSignal((name) => logger.info(`Received ${name}: stopping`))
  try {
    const properties = { ...(await readProperties(propertiesFile)), ...propertiesOfEnvironment(environment) }
    const worker = await ConnectWorker.start({
      properties,
      loadPlugins: async () => (await import('../assembly/plugins.ts')).plugins,
      taskThreadUrl: TASK_THREAD,
      commit: BUILD_COMMIT,
      logger,
      logLevels,
      clock: systemClock,
      signal: ending,
    })
    await aborted(ending)
    await worker.stop()
    logger.info('Worker stopped')
    return EXIT.ok
  } catch (error) {
    if (error instanceof StoppedError) return EXIT.ok
    logger.error(`Worker cannot start: ${describeError(error)}`)
    if (environment['LOG_LEVEL']?.toLowerCase() === 'debug') logger.debug('Details', { error: toError(error) })
    return exitCodeOf(error)
  }
}

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
