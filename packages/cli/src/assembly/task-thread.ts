/** Entry file of a task's thread: the runtime starts it by its address and does not know what is in it. */
import { runTaskThread } from '@tributary/runtime'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import { plugins } from './plugins.ts'

const levels = logLevelsOf(process.env)
await runTaskThread(plugins, createStdoutLogger(process.env, levels), levels)
