/** Entry file of the threads of a worker. The runtime gets only its URL, and starts threads with it. */
import { runThread } from '@tributary/runtime'
import { forwardLines } from '../logging/forwarded-lines.ts'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import { plugins } from './plugins.ts'

const levels = logLevelsOf(process.env)
runThread(plugins, createStdoutLogger(process.env, levels, forwardLines()), levels, {
  loadVerifier: async () => (await import('@tributary/verify')).verifyConnector,
  loadViewer: async () => (await import('@tributary/verify')).viewTopic,
})
