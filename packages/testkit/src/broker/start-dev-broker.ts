import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { liveBrokerIds } from '../kafka/metadata-probe.ts'
import { freePort } from '../network/free-port.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('dev-broker-process.ts', import.meta.url))

/** The development broker as a process of its own, with its topics in a temporary folder. */
export interface DevBrokerServer extends AsyncDisposable {
  /** One `host:port`. */
  readonly bootstrapServers: string[]
  /** The process id. */
  readonly pid: number
}

/**
 * Starts the development broker (docs/28-development-broker.md) and waits until it answers. It needs no Java.
 *
 * @throws SERVER_ENDED_AT_START, SERVER_NOT_READY
 */
export async function startDevBroker(): Promise<DevBrokerServer> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder('dev-broker'))
  const port = await freePort()
  const broker = await ServerProcess.start({
    name: 'Development broker',
    program: process.execPath,
    args: [PROGRAM, String(port), join(folder.path, 'data')],
    logFile: join(folder.path, 'broker.log'),
    isReady: async () => (await liveBrokerIds(port)).length === 1,
  })
  stack.defer(() => broker.stop())
  const owned = stack.move()
  const { pid } = broker
  return { bootstrapServers: [`127.0.0.1:${port}`], pid, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
