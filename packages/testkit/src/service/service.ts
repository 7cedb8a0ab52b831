import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../network/free-port.ts'
import { eventually } from '../process/eventually.ts'
import { ServerProcess } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { uniqueName } from '../shared/unique-name.ts'

export interface StartServiceOptions {
  readonly bootstrapServers: readonly string[]
  /** Names group and internal topics; a service started with the name of an earlier one goes on where that one ended. */
  readonly name?: string
  /** More settings, as the service takes them from its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments of Node itself: `--cpu-prof`, `--max-old-space-size=…`. */
  readonly nodeArgs?: readonly string[]
  /** Default 127.0.0.1. */
  readonly restHost?: string
  /** Entry file of another build of the service: that of a packed release. Default: this workspace. */
  readonly entry?: string
}

/** An answer of the REST interface. */
export interface RestAnswer {
  readonly status: number
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
}

const WORKSPACE = fileURLToPath(new URL('../../../../', import.meta.url))
/** The testkit may not import the cli; it runs it, as a user does. */
const ENTRY = join(WORKSPACE, 'packages', 'cli', 'src', 'main.ts')

/** Starts the service as a process of its own and waits until it is healthy. */
export async function startService(options: StartServiceOptions): Promise<Service> {
  const service = new Service(options, await freePort())
  try {
    await service.start()
  } catch (error) {
    await service[Symbol.asyncDispose]()
    throw error
  }
  return service
}

/** The service in a process of its own: it can be stopped, killed and started again with all that it has stored. */
export class Service implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly logFile: string
  readonly #options: StartServiceOptions
  readonly #folder: TemporaryFolder
  #process: ServerProcess | null = null

  constructor(options: StartServiceOptions, port: number) {
    this.#options = options
    this.name = options.name ?? uniqueName('service')
    this.port = port
    this.#folder = temporaryFolder('service')
    this.logFile = join(this.#folder.path, 'service.log')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The internal topic with the offsets of its connectors. */
  get offsetTopic(): string {
    return `${this.name}_offsets`
  }

  get pid(): number {
    if (this.#process === null) throw new Error('the service is not running')
    return this.#process.pid
  }

  /** Everything that it has logged, over all its runs. */
  get log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : ''
  }

  async start(): Promise<void> {
    const { nodeArgs = [], entry = ENTRY } = this.#options
    this.#process = await ServerProcess.start({
      name: 'the service',
      program: process.execPath,
      args: [...nodeArgs, entry, 'start'],
      env: this.#environment(),
      logFile: this.logFile,
      isReady: () => this.#isHealthy(),
    })
  }

  #environment(): Record<string, string> {
    const { bootstrapServers, restHost = '127.0.0.1', env } = this.#options
    return {
      BOOTSTRAP_SERVERS: bootstrapServers.join(','),
      GROUP_ID: this.name,
      CONFIG_STORAGE_TOPIC: `${this.name}_configs`,
      OFFSET_STORAGE_TOPIC: this.offsetTopic,
      STATUS_STORAGE_TOPIC: `${this.name}_statuses`,
      // One partition is read faster at every start than 25.
      CONNECT_OFFSET_STORAGE_PARTITIONS: '1',
      CONNECT_STATUS_STORAGE_PARTITIONS: '1',
      OFFSET_FLUSH_INTERVAL_MS: '500',
      REST_HOST_NAME: restHost,
      REST_PORT: String(this.port),
      ...env,
    }
  }

  async #isHealthy(): Promise<boolean> {
    try {
      return (await this.rest('GET', '/health')).status === 200
    } catch {
      // It does not listen yet.
      return false
    }
  }

  /** A request to the REST interface; a refused connection is an error. */
  async rest(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(this.url + path, {
      method,
      headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: text }),
    })
    const content = await answer.text()
    return { status: answer.status, text: content, json: parse(content) }
  }

  /** Registers a connector; throws the answer when it is refused. */
  async register(name: string, config: Readonly<Record<string, string>>): Promise<void> {
    const { status, text } = await this.rest('POST', '/connectors', { name, config })
    if (status !== 201) throw new Error(`registering ${name}: ${status} ${text}`)
  }

  /** State of the connector's only task, with its trace. */
  async taskState(name: string): Promise<{ readonly state: string; readonly trace: string }> {
    const { json } = await this.rest('GET', `/connectors/${name}/status`)
    const task = (json as { tasks?: { state?: string; trace?: string }[] }).tasks?.[0]
    return { state: task?.state ?? 'NONE', trace: task?.trace ?? '' }
  }

  /** Waits until the task runs; a task that fails instead ends the waiting with its trace. */
  async waitUntilRunning(name: string, timeoutMs = 60_000): Promise<void> {
    const { state, trace } = await this.waitForTask(name, ['RUNNING', 'FAILED'], timeoutMs)
    if (state === 'FAILED') throw new Error(`the task of ${name} failed: ${trace}`)
  }

  waitForTask(
    name: string,
    states: readonly string[],
    timeoutMs = 60_000,
  ): Promise<{ readonly state: string; readonly trace: string }> {
    return eventually(
      `the task of ${name} is ${states.join(' or ')}`,
      async () => {
        const task = await this.taskState(name)
        return states.includes(task.state) && task
      },
      { timeoutMs },
    )
  }

  /** Waits until a line of the log, after `from` characters of it, matches. */
  waitForLog(pattern: RegExp, from = 0, timeoutMs = 60_000): Promise<string> {
    return eventually(`the log has ${String(pattern)}`, () => pattern.exec(this.log.slice(from))?.[0], { timeoutMs })
  }

  /** Ends it as an operator does: SIGTERM; waits until it is gone. */
  async stop(): Promise<void> {
    await this.#process?.stop()
    this.#process = null
  }

  /** Ends it at once: SIGKILL; waits until it is gone. */
  async kill(): Promise<void> {
    await this.#process?.kill('SIGKILL')
    await this.#process?.waitForEnd()
    this.#process = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#folder[Symbol.asyncDispose]()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
