import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { present } from '@tributary/support'
import { freePort } from '../network/free-port.ts'
import { eventually } from '../process/eventually.ts'
import { ServerProcess, type ServerProcessOptions } from '../process/server-process.ts'
import { temporaryFolder, type TemporaryFolder } from '../process/temporary-folder.ts'
import { uniqueName } from '../shared/unique-name.ts'
import { useProgram } from '../shared/use-program.ts'

export interface StartServiceOptions {
  readonly bootstrapServers: readonly string[]
  /**
   * Name of the group and the internal topics. A service with the name of an earlier one continues where that one
   * stopped.
   */
  readonly name?: string
  /** Further environment variables of the service; undefined removes one that the testkit sets. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Arguments of Node itself: `--cpu-prof`, `--max-old-space-size=…`. */
  readonly nodeArgs?: readonly string[]
  /** `name:password` of the REST interface, where `env` sets logins. */
  readonly login?: string
  /** Default 127.0.0.1, or the address of the machine. */
  readonly restHost?: string
  /** Default: the machine of the tests itself, at 127.0.0.1. */
  readonly machine?: ServiceMachine
  /** Entry file of another build of the service, such as a packed release. Default: this workspace. */
  readonly entry?: string
}

/** Another machine, or what looks like one to the service. */
export interface ServiceMachine {
  /** The command that runs another one there, followed by that one. It must execute it, not be its parent. */
  readonly launcher: readonly string[]
  /** Under which the others reach it. */
  readonly address: string
}

/** An answer of the REST interface. */
export interface RestAnswer {
  readonly status: number
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown
}

/** What the error of a wait for the log shows of it. */
const LOG_TAIL_CHARACTERS = 4000

/** Returns the command line of a worker; called at every start. */
export type WorkerProgram = (place: WorkerPlace) => WorkerCommand | Promise<WorkerCommand>

export type WorkerCommand = Pick<
  ServerProcessOptions,
  'name' | 'program' | 'packageName' | 'args' | 'env' | 'readyTimeoutMs'
>

/** The folder and the REST port of a worker. */
export interface WorkerPlace {
  readonly folder: string
  readonly port: number
  /** A name of its own for each start, in the variable SERVICE_RUN: records can contain who has written them. */
  readonly run: string
}

/** Starts the service as a process of its own and waits until it is healthy. */
export async function startService(options: StartServiceOptions): Promise<Service> {
  return startWorker(new Service(options, await freePort()))
}

/** Starts a worker. If it does not become healthy, nothing is left running. */
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
 * A worker in its own process. It can be stopped or killed and started again with everything that it has stored. The
 * program is Tributary, or another worker with the same REST interface: Kafka Connect (`startConnect`).
 */
export class Service implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly logFile: string
  readonly #program: WorkerProgram
  readonly #login: string | null
  readonly #folder: TemporaryFolder
  readonly #address: string
  #process: ServerProcess | null = null
  #starts = 0

  constructor(options: StartServiceOptions, port: number, program?: WorkerProgram) {
    this.name = options.name ?? uniqueName('service')
    this.port = port
    this.#login = options.login ?? null
    this.#address = options.machine?.address ?? '127.0.0.1'
    this.#program = program ?? ((place) => tributary(this.name, place, options))
    this.#folder = temporaryFolder('service')
    this.logFile = join(this.#folder.path, 'service.log')
  }

  get url(): string {
    return `http://${this.#address}:${this.port}`
  }

  /** What the group calls it: `worker_id` in statuses. */
  get workerId(): string {
    return `${this.#address}:${this.port}`
  }

  /** The name of the last start: the value of its variable SERVICE_RUN. */
  get run(): string {
    return `${this.port}-${this.#starts}`
  }

  /** The internal topic with the offsets of its connectors. */
  get offsetTopic(): string {
    return storageTopics(this.name).offsets
  }

  get pid(): number {
    if (this.#process === null) throw new Error('the service is not running')
    return this.#process.pid
  }

  /** The log of all its runs. */
  get log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : ''
  }

  async start(): Promise<void> {
    this.#starts += 1
    this.#process = await ServerProcess.start({
      ...(await this.#program({ folder: this.#folder.path, port: this.port, run: this.run })),
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

  /** Sends a request to the REST interface. An error status is an answer; a refused connection is an error. */
  async rest(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(this.#login === null ? {} : { Authorization: `Basic ${Buffer.from(this.#login).toString('base64')}` }),
      },
      ...(body === undefined ? {} : { body: text }),
    })
    const content = await answer.text()
    return { status: answer.status, text: content, json: parse(content) }
  }

  /** Registers a connector. Throws an error with the answer if the service refuses it. */
  async register(name: string, config: Readonly<Record<string, string>>): Promise<void> {
    const { status, text } = await this.rest('POST', '/connectors', { name, config })
    if (status !== 201) throw new Error(`registering ${name}: ${status} ${text}`)
  }

  /** The state of the connector's only task, with its trace. */
  async taskState(name: string): Promise<{ readonly state: string; readonly trace: string }> {
    const { json } = await this.rest('GET', `/connectors/${name}/status`)
    const task = (json as { tasks?: { state?: string; trace?: string }[] }).tasks?.[0]
    return { state: task?.state ?? 'NONE', trace: task?.trace ?? '' }
  }

  /** Waits until the task runs. Throws an error with the trace if the task fails. */
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

  /** Waits until the log matches, after its first `from` characters; returns the match. */
  waitForLog(pattern: RegExp, from = 0, timeoutMs = 60_000): Promise<string> {
    return eventually(
      `the log matches ${String(pattern)}`,
      () => {
        const log = this.log.slice(from)
        return pattern.exec(log)?.[0] ?? assert.fail(`the log ends with\n${log.slice(-LOG_TAIL_CHARACTERS)}`)
      },
      { timeoutMs },
    )
  }

  /** Stops the worker with SIGTERM, as an operator does, and waits for its end. */
  async stop(): Promise<void> {
    await this.#process?.stop()
    this.#process = null
  }

  /** Kills the worker with SIGKILL and waits for its end. */
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

/** The names of the three internal topics of the worker with that name. */
export function storageTopics(name: string): Readonly<Record<'configs' | 'offsets' | 'statuses', string>> {
  return { configs: `${name}_configs`, offsets: `${name}_offsets`, statuses: `${name}_statuses` }
}

async function tributary(
  name: string,
  { port, run }: WorkerPlace,
  options: StartServiceOptions,
): Promise<WorkerCommand> {
  const { bootstrapServers, machine, restHost = machine?.address ?? '127.0.0.1', env, nodeArgs = [] } = options
  const topics = storageTopics(name)
  const entry = options.entry ?? (await useProgram())
  const command = [...(machine?.launcher ?? []), process.execPath, ...nodeArgs, entry, 'start']
  return {
    name: 'the service',
    program: present(command[0], 'a program'),
    args: command.slice(1),
    env: {
      BOOTSTRAP_SERVERS: bootstrapServers.join(','),
      GROUP_ID: name,
      CONFIG_STORAGE_TOPIC: topics.configs,
      OFFSET_STORAGE_TOPIC: topics.offsets,
      STATUS_STORAGE_TOPIC: topics.statuses,
      // A start reads one partition faster than 25.
      CONNECT_OFFSET_STORAGE_PARTITIONS: '1',
      CONNECT_STATUS_STORAGE_PARTITIONS: '1',
      OFFSET_FLUSH_INTERVAL_MS: '500',
      REST_HOST_NAME: restHost,
      REST_PORT: String(port),
      SERVICE_RUN: run,
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
