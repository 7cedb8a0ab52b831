import type { ConnectorHealth } from '@tributary/rest-api'
import { systemClock } from '@tributary/support'
import type { Service } from '@tributary/testkit'

/** What a user saw from a time on. */
export interface Sight {
  /** Seconds since the fault began. */
  readonly seconds: number
  /** Of the status, as Kafka Connect shows it. */
  readonly state: string
  readonly condition: string
  readonly code: string | null
  readonly attempts: number
}

/**
 * Reads status and health of a connector's task again and again, as a user or a monitoring system does, and keeps what
 * has changed.
 */
export class StatusCourse implements AsyncDisposable {
  readonly sights: Sight[] = []
  readonly #service: Service
  readonly #connector: string
  readonly #startMs = systemClock.now()
  readonly #stop = new AbortController()
  readonly #done: Promise<void>

  constructor(service: Service, connector: string) {
    this.#service = service
    this.#connector = connector
    this.#done = this.#run(this.#stop.signal)
  }

  get seconds(): number {
    return Math.round((systemClock.now() - this.#startMs) / 100) / 10
  }

  /** True when a problem with one of these codes was seen. */
  saw(codes: readonly string[]): boolean {
    return this.sights.some(({ code }) => code !== null && codes.includes(code))
  }

  /** One line per sight: `RUNNING, waiting MYSQL_UNREACHABLE (0.4 s)`. */
  text(): string {
    return this.sights
      .map(({ state, condition, code, seconds }) => `${state} ${condition} ${code ?? ''} (${seconds} s)`)
      .join(' → ')
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#look()
      try {
        await systemClock.sleep(100, signal)
      } catch {
        return
      }
    }
  }

  async #look(): Promise<void> {
    const { json } = await this.#service.rest('GET', `/connectors/${this.#connector}/health`)
    const [task] = (json as ConnectorHealth).tasks
    if (task === undefined) return
    const { state } = await this.#service.taskState(this.#connector)
    const [problem] = task.problems
    const sight = { state, condition: task.condition, code: problem?.code ?? null, attempts: problem?.attempts ?? 0 }
    const last = this.sights.at(-1)
    const isSame = last?.state === sight.state && last.condition === sight.condition && last.code === sight.code
    if (isSame) this.sights[this.sights.length - 1] = { ...sight, seconds: last.seconds }
    else this.sights.push({ ...sight, seconds: this.seconds })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
  }
}
