import type { SourceTask } from '@tributary/connect-api'
import { toError, type Logger } from '@tributary/support'

/** Lets the task close what it has open. Never fails: what the task ends for is what has to be heard of. */
export async function stopTask(task: SourceTask, logger: Logger): Promise<void> {
  try {
    await task.stop()
  } catch (error) {
    logger.warn('The task did not stop cleanly', { error: toError(error) })
  }
}
