import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../network/free-port.ts'
import { eventually } from '../process/eventually.ts'
import { ServerProcess, type ServerProcessOptions } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { uniqueName } from '../shared/unique-name.ts'

export interface StartServiceOptions {
  readonly bootstrapServers: readonly string[]
  /** Names group and internal topics; a service started with the name of an earlier one goes on where that one ended. */
  readonly name?: string
  /** More settings, as the service takes them from its environment; undefined: not even the testkit's own. */
  readonly env?: Readonly<Record<string, string | undefined>>
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

/** What a worker runs as: asked for at every start. */
export type WorkerProgram = (
  place: WorkerPlace,
) => Pick<ServerProcessOptions, 'name' | 'program' | 'packageName' | 'args' | 'env' | 'readyTimeoutMs'>

/** Where a worker has its files and listens. */
export interface WorkerPlace {
  readonly folder: string
  readonly port: number
}

/** Starts the service as a process of its own and waits until it is healthy. */
export async function startService(options: StartServiceOptions): Promise<Service> {
  return startWorker(new Service(options, await freePort()))
}

/** Starts a worker; one that does not become healthy leaves nothing behind. */
export async function startWorker(worker: Service): Promise<Service> {
  try {
    await worker.start()
  } catch (error) {
    await worker[Symbol.asyncDispose]()
    throw error
  }
  return worker
}

/**
 * The service in a process of its own: it can be stopped, killed and started again with all that it has stored. With another
 * program it is another worker with the same REST interface: Kafka Connect itself (`startConnect`).
 */
export class Service implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly logFile: string
  readonly #program: WorkerProgram
  readonly #folder: TemporaryFolder
  #process: ServerProcess | null = null

  constructor(options: StartServiceOptions, port: number, program?: WorkerProgram) {
    this.name = options.name ?? uniqueName('service')
    this.port = port
    this.#program = program ?? (() => tributary(this.name, port, options))
    this.#folder = temporaryFolder('service')
    this.logFile = join(this.#folder.path, 'service.log')
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The internal topic with the offsets of its connectors. */
  get offsetTopic(): string {
    return storageTopics(this.name).offsets
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
    this.#process = await ServerProcess.start({
      ...this.#program({ folder: this.#folder.path, port: this.port }),
      logFile: this.logFile,
      isReady: () => this.#isHealthy(),
    })
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

/** Names of the three internal topics of a worker of that name. */
export function storageTopics(name: string): Readonly<Record<'configs' | 'offsets' | 'statuses', string>> {
  return { configs: `${name}_configs`, offsets: `${name}_offsets`, statuses: `${name}_statuses` }
}

function tributary(name: string, port: number, options: StartServiceOptions): ReturnType<WorkerProgram> {
  const { bootstrapServers, restHost = '127.0.0.1', env, nodeArgs = [], entry = ENTRY } = options
  const topics = storageTopics(name)
  return {
    name: 'the service',
    program: process.execPath,
    args: [...nodeArgs, entry, 'start'],
    env: {
      BOOTSTRAP_SERVERS: bootstrapServers.join(','),
      GROUP_ID: name,
      CONFIG_STORAGE_TOPIC: topics.configs,
      OFFSET_STORAGE_TOPIC: topics.offsets,
      STATUS_STORAGE_TOPIC: topics.statuses,
      // One partition is read faster at every start than 25.
      CONNECT_OFFSET_STORAGE_PARTITIONS: '1',
      CONNECT_STATUS_STORAGE_PARTITIONS: '1',
      OFFSET_FLUSH_INTERVAL_MS: '500',
      REST_HOST_NAME: restHost,
      REST_PORT: String(port),
      ...env,
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
