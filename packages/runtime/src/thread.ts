import type { PluginList } from '@tributary/connect-api'
import type { Logger, LogLevels } from '@tributary/support'
import { answerChecks } from './herder/check-thread/answer-checks.ts'
import { answerEvents } from './events/answer-events.ts'
import type { LoadEventViewer } from './events/event-viewer.ts'
import { Plugins } from './plugins/plugins.ts'
import { answerVerification } from './verification/answer-verification.ts'
import type { LoadVerifier } from './verification/verifier.ts'
import { hostTasks } from './task/thread-entry.ts'

/** Work of a thread besides tasks and checks. Each is loaded when it is first asked for. */
export interface ThreadReaders {
  readonly loadVerifier?: LoadVerifier
  readonly loadViewer?: LoadEventViewer
}

/**
 * Runs a thread of a worker. It checks configurations until it is given tasks, if ever. The entry file of the threads
 * calls it with the plug-ins of the main thread, and with the levels of its logger, which follow those of the main
 * thread.
 */
export function runThread(
  pluginList: PluginList,
  logger: Logger,
  levels: LogLevels,
  readers: ThreadReaders = {},
): void {
  const plugins = new Plugins(pluginList)
  plugins.preload()
  answerChecks(plugins)
  const { loadVerifier, loadViewer } = readers
  if (loadVerifier !== undefined) answerVerification({ plugins, loadVerifier, logger })
  if (loadViewer !== undefined) answerEvents({ plugins, loadViewer, logger })
  hostTasks(plugins, logger, levels)
}
