/** Entry file of a task's thread. The runtime gets only its URL, and starts a thread with it. */
import { runTaskThread } from '@tributary/runtime'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import { plugins } from './plugins.ts'

const levels = logLevelsOf(process.env)
await runTaskThread(plugins, createStdoutLogger(process.env, levels), levels)
