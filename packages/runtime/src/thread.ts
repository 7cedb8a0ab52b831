import type { PluginList } from '@tributary/connect-api'
import type { Logger, LogLevels } from '@tributary/support'
import { isCheckThread } from './herder/check-thread/check-thread-data.ts'
import { runCheckThread } from './herder/check-thread/run-check-thread.ts'
import { runTaskThread } from './task/thread-entry.ts'

/**
 * Runs a thread of a worker: a task's, or one that checks configurations. The entry file of the threads calls it with
 * the plug-ins of the main thread and with the levels of its logger.
 */
export async function runThread(pluginList: PluginList, logger: Logger, levels: LogLevels): Promise<void> {
  if (isCheckThread()) runCheckThread(pluginList)
  else await runTaskThread(pluginList, logger, levels)
}
