import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { javaProgram } from '../provision/java.ts'
import { ServerProcess } from '../process/server-process.ts'
import { liveBrokerIds } from './metadata-probe.ts'

export interface KafkaBrokerOptions {
  readonly nodeId: number
  readonly host: string
  /** The broker's own client port, not that of a proxy. */
  readonly port: number
  readonly javaArgs: readonly string[]
  readonly folder: string
  /** Ids of the brokers that should be running now, including this one after its start. */
  readonly runningIds: () => readonly number[]
}

/** One broker of a throw-away cluster. It keeps its ports and data when it is stopped or killed and started again. */
export class KafkaBroker {
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly logFile: string
  readonly #options: KafkaBrokerOptions
  #process: ServerProcess | undefined

  constructor(options: KafkaBrokerOptions) {
    this.nodeId = options.nodeId
    this.host = options.host
    this.port = options.port
    this.logFile = join(options.folder, 'broker.log')
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false
  }

  /**
   * The process id.
   *
   * @throws SERVER_IS_DOWN
   */
  get pid(): number {
    if (this.#process?.isRunning) return this.#process.pid
    throw testkitErrors.SERVER_IS_DOWN({ server: this.#name, operation: 'asking for its process id' })
  }

  /** Sends the signal. For SIGKILL, also waits for the end of the process. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.kill(signal)
  }

  /** Shuts the broker down, after its partitions have moved to others, and waits for its end. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  /**
   * Starts the broker and waits until it sees itself and all other running brokers as alive; no effect while it runs.
   */
  async start(): Promise<void> {
    if (this.isRunning) return
    await this.#process?.waitForEnd()
    const { javaArgs, runningIds } = this.#options
    this.#process = await ServerProcess.start({
      name: this.#name,
      program: await javaProgram(),
      args: javaArgs,
      logFile: this.logFile,
      isReady: async () => {
        const alive = await liveBrokerIds(this.port, this.host)
        return [this.nodeId, ...runningIds()].every((id) => alive.includes(id))
      },
    })
  }

  get #name(): string {
    return `Kafka broker ${this.nodeId}`
  }
}
