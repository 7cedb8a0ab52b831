import { systemClock } from '@tributary/support'
import { connectorConfig, type Database, freePort, Service, uniqueName } from '@tributary/testkit'
import { difference, type ComparedAnswer } from './same-answer.ts'
import type { Part, RecordedRequest, Role } from './trace.ts'

export interface ReplayOptions {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Names of the recording, with those that the replay uses instead. */
type Names = readonly (readonly [recorded: string, own: string])[]

/** Two workers of Tributary that do what two workers of Kafka Connect did. */
export class Replay implements AsyncDisposable {
  /** Requests sent, a repeated one counted once. */
  steps = 0
  /** What differed: the step, and how. */
  readonly differences: string[] = []
  readonly #workers: Readonly<Record<Role, Service>>
  readonly #names: Names
  readonly #started = new Set<Role>()
  /** The last start or stop of a worker. */
  #change: Promise<void> = Promise.resolve()

  private constructor(workers: Readonly<Record<Role, Service>>, names: Names) {
    this.#workers = workers
    this.#names = names
  }

  static async create({ database, bootstrapServers, env }: ReplayOptions): Promise<Replay> {
    const name = uniqueName('pair')
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
    // Of two workers with the same load, the one whose address comes first gets the first connector: A, as recorded.
    const ports = (await Promise.all([freePort(), freePort()])).toSorted((one, other) => one - other)
    const [a, b] = ports.map((port) => new Service({ bootstrapServers, name, env }, port))
    if (a === undefined || b === undefined) throw new Error('two ports make two workers')
    const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
    const serverId = Number(config['database.server.id'])
    const quoted = (property: string, value: string): string => `"${property}":"${value}"`
    const replaced = (property: string, recorded: string): readonly [string, string] =>
      [quoted(property, recorded), quoted(property, config[property] ?? '')] as const
    const names: Names = [
      ['workerA:8083', `127.0.0.1:${a.port}`],
      ['workerB:8083', `127.0.0.1:${b.port}`],
      replaced('database.hostname', 'mysql'),
      replaced('database.port', '3306'),
      replaced('database.user', 'debezium'),
      replaced('database.password', 'dbz'),
      [quoted('database.server.id', '195001'), quoted('database.server.id', String(serverId))],
      [quoted('database.server.id', '195002'), quoted('database.server.id', String(serverId - 1))],
      ['broker:9092', bootstrapServers.join(',')],
      ['goldrest', name],
      ['twoone', `${name}one`],
      ['twotwo', `${name}two`],
    ]
    return new Replay({ A: a, B: b }, names)
  }

  async run(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      if (part.tag === 'event') await this.#happen(part.event)
      else if (part.tag === 'request') await this.#send(part.request)
      else await this.#watch(part.name, part.requests)
    }
  }

  async #happen(event: string): Promise<void> {
    const [, what = '', role] = /^(start|kill -9|SIGTERM to) worker ([AB])(?! again)/.exec(event) ?? []
    if (role !== 'A' && role !== 'B') return
    const worker = this.#workers[role]
    // Requests are sent while a worker stops, and while one returns: nobody listens yet.
    if (what === 'kill -9') await worker.kill()
    else if (what === 'SIGTERM to') this.#change = worker.stop()
    else this.#change = worker.start()
    if (what === 'start' && !this.#started.has(role)) await this.#change
    this.#started.add(role)
  }

  /** A request that was sent once. Reads are repeated until they are as recorded: what they show follows a change. */
  async #send(recorded: RecordedRequest): Promise<void> {
    this.steps += 1
    const compare = async (): Promise<string | null> => difference(this.#own(recorded), await this.#request(recorded))
    const found = await (recorded.method === 'GET' ? lastDifference(compare) : compare())
    if (found !== null) this.#note(recorded, found)
  }

  /** Sends the requests of a phase at the same time. */
  async #watch(phase: string, requests: readonly (readonly RecordedRequest[])[]): Promise<void> {
    await Promise.all(requests.map((answers) => this.#watchOne(phase, answers)))
    await this.#change
  }

  /**
   * Repeats a request until its answer is the last one that was recorded. An answer in between must have a status that
   * was recorded.
   */
  async #watchOne(phase: string, answers: readonly RecordedRequest[]): Promise<void> {
    const last = answers.at(-1)
    if (last === undefined) return
    this.steps += 1
    const others = new Set<string>()
    const found = await lastDifference(async () => {
      const own = await this.#request(last)
      const isRecorded = answers.some((each) => each.status === own.status)
      if (!isRecorded) others.add(`${own.status} ${own.body.slice(0, 200)}`)
      return difference(this.#own(last), own)
    })
    if (found !== null) this.#note(last, `${phase}: ${found}`)
    for (const other of others) this.#note(last, `${phase}: also ${other}`)
  }

  #note({ worker, method, path }: RecordedRequest, found: string): void {
    this.differences.push(`${worker} ${method} ${path}: ${found}`)
  }

  async #request({ worker, method, path, request }: RecordedRequest): Promise<ComparedAnswer> {
    const { url } = this.#workers[worker]
    const body = request === undefined ? {} : { body: this.#replaced(request) }
    const headers = request === undefined ? {} : { 'Content-Type': 'application/json' }
    try {
      const answer = await fetch(url + path, { method, headers: { Accept: 'application/json', ...headers }, ...body })
      const location = answer.headers.get('location')
      return {
        status: answer.status,
        body: await answer.text(),
        location: location === null ? undefined : new URL(location).pathname,
      }
    } catch (error) {
      return { status: codeOf(error), body: '' }
    }
  }

  /** The recorded answer with the names of the replay. */
  #own(recorded: RecordedRequest): ComparedAnswer {
    const { status, body, location } = recorded
    return { status, body: this.#replaced(body), location }
  }

  #replaced(text: string): string {
    return this.#names.reduce((result, [recorded, own]) => result.replaceAll(recorded, own), text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#change])
    for (const worker of Object.values(this.#workers)) await worker[Symbol.asyncDispose]()
  }
}

/** Of a connection that is refused, or was open and is cut when its process ends, which the recording never had. */
const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'])

function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return UNREACHABLE.has(code) ? 'ECONNREFUSED' : String(code ?? error)
}

/** Compares until nothing differs, or for as long as a worker may take; returns what differs in the end. */
async function lastDifference(compare: () => Promise<string | null>): Promise<string | null> {
  const end = performance.now() + WITHIN_MS
  for (;;) {
    const found = await compare()
    if (found === null || performance.now() > end) return found
    await systemClock.sleep(EVERY_MS)
  }
}

const WITHIN_MS = 45_000
const EVERY_MS = 100
