/** Entry file of the thread of the development broker. */
import { parentPort, workerData } from 'node:worker_threads'
import { startBroker } from '@tributary/broker'
import { CodedError, present } from '@tributary/support'
import { createStdoutLogger, logLevelsOf } from '../logging/stdout-logger.ts'
import type { BrokerReport, BrokerThreadData } from './broker-messages.ts'

const { port, folder } = workerData as BrokerThreadData
const owner = present(parentPort, 'the port of a thread')
const report = (message: BrokerReport): void => owner.postMessage(message)
const logger = createStdoutLogger(process.env, logLevelsOf(process.env), (line) => report({ tag: 'line', line }))

try {
  const broker = await startBroker({ port, storage: { tag: 'folder', path: folder }, logger })
  owner.once('message', () => {
    void broker.close().then(() => owner.close())
  })
  report({ tag: 'ready', bootstrapServers: broker.bootstrapServers })
} catch (error) {
  // Any other error ends the thread, which its owner notices.
  if (!(error instanceof CodedError)) throw error
  report({ tag: 'refused', code: error.code, message: error.text, action: error.action })
}
