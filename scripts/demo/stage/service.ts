import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { throwIfStopped } from '@tributary/support'
import { ServerProcess } from '@tributary/testkit'
import type { Names } from './names.ts'

const MAIN_FILE = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url))

export interface ServiceSettings {
  readonly kafka: string
  readonly names: Names
  /** The folder of the log file. */
  readonly folder: string
}

/** `tributary start` in a process of its own, which can be stopped and started again. It stops with this process. */
export class Service implements AsyncDisposable {
  readonly port: number
  readonly logFile: string
  readonly #environment: Readonly<Record<string, string>>
  #process: Promise<ServerProcess> | null = null

  constructor(port: number, { kafka, names, folder }: ServiceSettings) {
    this.port = port
    this.logFile = join(folder, 'tributary.log')
    this.#environment = {
      ...withoutInherited(),
      BOOTSTRAP_SERVERS: kafka,
      GROUP_ID: names.configTopic,
      CONFIG_STORAGE_TOPIC: names.configTopic,
      OFFSET_STORAGE_TOPIC: names.offsetTopic,
      STATUS_STORAGE_TOPIC: names.statusTopic,
      REST_HOST_NAME: '127.0.0.1',
      REST_PORT: String(port),
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Starts the service, always with the same port and log file. Resolves when it accepts requests. */
  async start(signal: AbortSignal): Promise<void> {
    this.#process = ServerProcess.start({
      name: 'Tributary',
      program: process.execPath,
      args: [MAIN_FILE, 'start'],
      env: this.#environment,
      logFile: this.logFile,
      isReady: () => this.#isHealthy(signal),
    })
    await this.#process
  }

  /** Stops the service. True when it stopped in an orderly way, with its offsets committed. */
  async stop(): Promise<boolean> {
    await this.#end()
    return (await this.log()).trimEnd().endsWith('Worker stopped')
  }

  log(): Promise<string> {
    return readFile(this.logFile, 'utf8')
  }

  async #isHealthy(signal: AbortSignal): Promise<boolean> {
    // Aborts the start, and stops the process.
    throwIfStopped(signal)
    try {
      return (await fetch(`${this.url}/health`)).ok
    } catch {
      // Not listening yet. ServerProcess repeats the call until its time limit.
      return false
    }
  }

  async #end(): Promise<void> {
    // The caller of start() reports why the process did not start.
    const running = await this.#process?.catch(() => null)
    this.#process = null
    await running?.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }
}

/** Clears the user's settings for another worker. The service treats an empty variable as not set. */
function withoutInherited(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) =>
    /^(CONNECT_|ADVERTISED_|LOG_|KEY_CONVERTER|VALUE_CONVERTER|OFFSET_FLUSH_|SHUTDOWN_TIMEOUT)/.test(name),
  )
  return Object.fromEntries(names.map((name) => [name, '']))
}
