import { ConfigProviders, type ResolvedConfig } from '../config/providers/config-providers.ts'
import type { SecretMask } from '../config/providers/secret-mask.ts'
import type { TaskThreadData } from './thread-protocol.ts'

/** What a task thread is given, with the values of the references. */
export interface ResolvedTaskData {
  readonly data: TaskThreadData
  readonly taskConfig: ResolvedConfig
  readonly workerProperties: ResolvedConfig
  /** For all that leaves the thread for people to see. */
  readonly mask: SecretMask
}

/** Values are looked up when the thread starts: a task that is restarted has those of now. */
export function resolveTaskData(data: TaskThreadData): ResolvedTaskData {
  const providers = ConfigProviders.of(data.workerProperties)
  const taskConfig = providers.resolve(data.taskConfig)
  const workerProperties = providers.resolve(data.workerProperties)
  return { data, taskConfig, workerProperties, mask: taskConfig.mask.with(workerProperties.mask) }
}
