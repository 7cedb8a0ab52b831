import type { PluginList } from '@tributary/connect-api'
import type { Logger, LogLevels } from '@tributary/support'
import { answerChecks } from './herder/check-thread/answer-checks.ts'
import { Plugins } from './plugins/plugins.ts'
import { answerVerification } from './verification/answer-verification.ts'
import type { LoadVerifier } from './verification/verifier.ts'
import { runTaskThread } from './task/thread-entry.ts'

/**
 * Runs a thread of a worker. It checks configurations until it is given a task, if ever. The entry file of the threads
 * calls it with the plug-ins of the main thread, and with the levels of its logger, which follow those of the main
 * thread.
 */
export async function runThread(
  pluginList: PluginList,
  logger: Logger,
  levels: LogLevels,
  loadVerifier?: LoadVerifier,
): Promise<void> {
  const plugins = new Plugins(pluginList)
  plugins.preload()
  answerChecks(plugins)
  if (loadVerifier !== undefined) answerVerification({ plugins, loadVerifier, logger })
  await runTaskThread(plugins, logger, levels)
}
