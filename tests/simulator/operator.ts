import { HerderError, type GroupHerder } from '@tributary/runtime'
import { Domain } from './scheduler.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

type Request = (herder: GroupHerder) => Promise<unknown>

interface Attempt {
  readonly text: string
  readonly request: Request
  readonly worker: number
}

const RETRY_MS = 1_000
const UNANSWERED_MS = 60_000

/** Sends requests to the workers, as a user does by REST, and tries again until they succeed. */
export class Operator {
  readonly #simulation: SimulatedCluster
  readonly #domain: Domain
  #waiting = 0
  /** Requests during the faults that are not answered. */
  #unanswered = 0
  #isFinal = false
  #notes = 0

  constructor(simulation: SimulatedCluster) {
    this.#simulation = simulation
    this.#domain = new Domain(simulation.scheduler, 'operator')
  }

  get isDone(): boolean {
    return this.#isFinal && this.#waiting === 0
  }

  /** Creates the connectors. */
  start(): void {
    const { connectors } = this.#simulation
    for (const name of connectors) {
      const config = this.#simulation.connectorConfig(name, 'first')
      this.#send(1_500, `create ${name}`, async (herder) => {
        if (!herder.connectorNames().includes(name)) {
          await herder.createConnector({ name, config, initialState: null })
        }
      })
    }
  }

  /** One request during the faults. It may fail: it is not repeated. */
  request(kind: 'pause' | 'resume' | 'stop' | 'restart' | 'reconfigure', target: number): void {
    const { connectors, random } = this.#simulation
    const name = connectors[target % connectors.length] ?? ''
    const config = this.#simulation.connectorConfig(name, `note ${++this.#notes}`)
    const requests: Readonly<Record<typeof kind, Request>> = {
      pause: (herder) => herder.pauseConnector(name),
      resume: (herder) => herder.resumeConnector(name),
      stop: (herder) => herder.stopConnector(name),
      restart: (herder) => herder.restartConnectorAndTasks(name, { includeTasks: true, onlyFailed: false }),
      reconfigure: (herder) => herder.putConnectorConfig(name, config),
    }
    this.#unanswered += 1
    const attempt = { text: `${kind} ${name}`, request: requests[kind], worker: random.between(0, 5) }
    void this.#attempt(attempt, () => (this.#unanswered -= 1))
  }

  /** All connectors are to run, when no earlier request can take effect any more; a dead worker answers none. */
  finish(hasCrashed: boolean, waitMs: number = UNANSWERED_MS): void {
    if (this.#unanswered > 0 && waitMs > 0) {
      const { scheduler } = this.#simulation
      scheduler.after(RETRY_MS, this.#domain, () => this.finish(hasCrashed, waitMs - RETRY_MS))
      return
    }
    this.#isFinal = true
    for (const name of this.#simulation.connectors) {
      this.#send(0, `resume ${name}`, async (herder) => {
        await herder.resumeConnector(name)
        // A thread that has crashed fails its task until somebody looks at it.
        if (hasCrashed) await herder.restartConnectorAndTasks(name, { includeTasks: true, onlyFailed: true })
      })
    }
  }

  #send(afterMs: number, text: string, request: Request): void {
    const { scheduler, random } = this.#simulation
    this.#waiting += 1
    const attempt = (): void => {
      const worker = random.between(0, 5)
      let isAnswered = false
      const done = (isOk: boolean): void => {
        if (isAnswered) return
        isAnswered = true
        if (isOk) this.#waiting -= 1
        else scheduler.after(RETRY_MS, this.#domain, attempt)
      }
      // A worker that freezes or dies never answers.
      scheduler.after(30_000, this.#domain, () => done(false))
      void this.#attempt({ text, request, worker }, done)
    }
    scheduler.after(afterMs, this.#domain, attempt)
  }

  async #attempt({ text, request, worker }: Attempt, done: (isOk: boolean) => void): Promise<void> {
    done(await this.#try(text, request, worker))
  }

  /** Asks a worker, and the one that it names instead. */
  async #try(text: string, request: Request, worker: number): Promise<boolean> {
    const { seats } = this.#simulation
    let seat = seats[worker % seats.length]
    for (let hops = 0; hops < 3; hops++) {
      const herder = seat?.process?.running?.herder
      if (seat === undefined || herder === undefined) return false
      const answer = await this.#ask(seat.process?.domain ?? this.#domain, () => request(herder))
      this.#simulation.print(`operator: ${text} at ${seat.host}: ${answer === null ? 'ok' : answer.message}`)
      if (answer === null) return true
      const url = urlIn(answer)
      if (url === null) return false
      seat = seats.find(({ host }) => url.includes(`//${host}:`))
    }
    return false
  }

  /** The request runs in the process of the worker. */
  #ask(domain: Domain, request: () => Promise<unknown>): Promise<Error | null> {
    const { scheduler } = this.#simulation
    return new Promise((resolve) => {
      const answer = (error: Error | null): void => void scheduler.after(1, this.#domain, () => resolve(error))
      scheduler.after(1, domain, () => {
        request().then(
          () => answer(null),
          (error: unknown) => answer(error instanceof Error ? error : new Error(String(error))),
        )
      })
    })
  }
}

/** The worker that a refusal names. */
function urlIn(error: Error): string | null {
  if (!(error instanceof HerderError)) return null
  const { problem } = error
  if (problem.tag === 'not leader') return problem.leaderUrl
  return problem.tag === 'not owner' ? problem.ownerUrl : null
}
