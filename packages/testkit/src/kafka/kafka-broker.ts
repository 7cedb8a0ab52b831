import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { ServerProcess } from '../process/server-process.ts'
import { liveBrokerIds } from './metadata-probe.ts'

export interface KafkaBrokerOptions {
  readonly nodeId: number
  /** The broker's own client port, before any proxy. */
  readonly port: number
  readonly javaArgs: readonly string[]
  readonly folder: string
  /** Ids of the brokers that are meant to run now, this one included once it is started. */
  readonly runningIds: () => readonly number[]
}

/** One broker of a throw-away cluster. It keeps its ports and data over stop, kill and start. */
export class KafkaBroker {
  readonly nodeId: number
  readonly port: number
  readonly logFile: string
  readonly #options: KafkaBrokerOptions
  #process: ServerProcess | undefined

  constructor(options: KafkaBrokerOptions) {
    this.nodeId = options.nodeId
    this.port = options.port
    this.logFile = join(options.folder, 'broker.log')
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false
  }

  /** The process id; SERVER_IS_DOWN when it does not run. */
  get pid(): number {
    if (this.#process?.isRunning) return this.#process.pid
    throw testkitErrors.SERVER_IS_DOWN({ server: this.#name, operation: 'asking for its process id' })
  }

  /** SIGKILL waits for the end; other signals (SIGTERM, SIGSTOP, SIGCONT) are only sent. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.kill(signal)
  }

  /** Ends it in order (its partitions move first) and waits for that. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  /** Starts it again and waits until it and every other running broker are seen as alive by it. No effect while it runs. */
  async start(): Promise<void> {
    if (this.isRunning) return
    await this.#process?.waitForEnd()
    const { javaArgs, runningIds } = this.#options
    this.#process = await ServerProcess.start({
      name: this.#name,
      program: 'java',
      packageName: 'openjdk-17-jre-headless',
      args: javaArgs,
      logFile: this.logFile,
      isReady: async () => {
        const alive = await liveBrokerIds(this.port)
        return [this.nodeId, ...runningIds()].every((id) => alive.includes(id))
      },
    })
  }

  get #name(): string {
    return `Kafka broker ${this.nodeId}`
  }
}
