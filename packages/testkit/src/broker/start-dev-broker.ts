import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KafkaBroker } from '../kafka/kafka-broker.ts'
import { liveBrokerIds } from '../kafka/metadata-probe.ts'
import { startFaultProxy } from '../network/fault-proxy.ts'
import type { FaultProxy } from '../network/fault-proxy.ts'
import { freePort } from '../network/free-port.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'

const LOOPBACK = '127.0.0.1'
const PROGRAM = fileURLToPath(new URL('dev-broker-process.ts', import.meta.url))

export interface DevBrokerOptions {
  /** Puts a fault proxy in front of the broker, which advertises the address of the proxy. */
  readonly behindProxy?: boolean
  /** Creates topics that a client asks for. Default true. */
  readonly createsTopics?: boolean
}

/** The development broker as a process of its own, with its topics in a temporary folder. */
export interface DevBrokerServer extends AsyncDisposable {
  /** One `host:port`: that of the proxy if there is one. */
  readonly bootstrapServers: string[]
  /** The `host:port` at which the broker itself listens. Clients that start there continue at the advertised address. */
  readonly internalServers: string[]
  /** One, which keeps its topics when it is stopped and started again. */
  readonly brokers: readonly [Pick<KafkaBroker, 'start' | 'stop' | 'kill'>]
  /** One with `behindProxy`; otherwise empty. */
  readonly proxies: readonly FaultProxy[]
  /** The id of the first process. */
  readonly pid: number
}

/**
 * Starts the development broker (docs/28-development-broker.md) and waits until it answers. It needs no Java.
 *
 * @throws SERVER_ENDED_AT_START, SERVER_NOT_READY
 */
export async function startDevBroker({
  behindProxy = false,
  createsTopics = true,
}: DevBrokerOptions = {}): Promise<DevBrokerServer> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder('dev-broker'))
  const port = await freePort()
  const proxies = behindProxy ? [stack.use(await startFaultProxy({ target: { host: LOOPBACK, port } }))] : []
  const advertisedPort = proxies[0]?.port ?? port
  const startProcess = (): Promise<ServerProcess> =>
    ServerProcess.start({
      name: 'Development broker',
      program: process.execPath,
      args: [PROGRAM, String(port), join(folder.path, 'data'), String(advertisedPort), String(createsTopics)],
      logFile: join(folder.path, 'broker.log'),
      isReady: async () => (await liveBrokerIds(port)).length === 1,
    })
  let running = await startProcess()
  stack.defer(() => running.stop())
  const { pid } = running
  const broker = {
    stop: () => running.stop(),
    kill: (signal: NodeJS.Signals) => running.kill(signal),
    start: async () => {
      if (running.isRunning) return
      running = await startProcess()
    },
  }
  const owned = stack.move()
  return {
    bootstrapServers: [`${LOOPBACK}:${advertisedPort}`],
    internalServers: [`${LOOPBACK}:${port}`],
    brokers: [broker],
    proxies,
    pid,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
