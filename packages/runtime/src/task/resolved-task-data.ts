import { ConfigProviders, type ResolvedConfig } from '../config/providers/config-providers.ts'
import type { SecretMask } from '../config/providers/secret-mask.ts'
import type { TaskThreadData } from './thread-protocol.ts'

/** The data of a task thread, with the references replaced by their values. */
export interface ResolvedTaskData {
  readonly data: TaskThreadData
  readonly taskConfig: ResolvedConfig
  readonly workerProperties: ResolvedConfig
  /** Hides the values in log lines and error traces. */
  readonly mask: SecretMask
}

/** Resolves the references when the thread starts: a restart picks up changed values. */
export function resolveTaskData(data: TaskThreadData): ResolvedTaskData {
  const providers = ConfigProviders.of(data.workerProperties)
  const taskConfig = providers.resolve(data.taskConfig)
  const workerProperties = providers.resolve(data.workerProperties)
  return { data, taskConfig, workerProperties, mask: taskConfig.mask.with(workerProperties.mask) }
}
