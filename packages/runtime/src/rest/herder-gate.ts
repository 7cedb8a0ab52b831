import type { ServerInfo, WorkerStatus } from '@tributary/rest-api'
import type { Herder } from '../herder/herder.ts'
import { RequestError } from './request-error.ts'

/**
 * The herder, once the worker has started. Until then `GET /` and `GET /health` are answered from here, and the health
 * names the step that the worker is at; every other request is answered with status 503. (Connect answers 404 to every
 * path until it is up.)
 */
export class HerderGate {
  readonly #serverInfo: ServerInfo
  #stage: string
  #herder: Herder | null = null

  constructor(serverInfo: ServerInfo, stage: string) {
    this.#serverInfo = serverInfo
    this.#stage = stage
  }

  /** A gate in front of a herder that has started. */
  static opened(herder: Herder): HerderGate {
    const gate = new HerderGate(herder.serverInfo(), '')
    gate.open(herder)
    return gate
  }

  /** The step that the worker is at, as a sentence: “Waiting for the brokers at …”. */
  set stage(stage: string) {
    this.#stage = stage
  }

  /** Passes every request to the herder from now on. */
  open(herder: Herder): void {
    this.#herder = herder
  }

  /** @throws RequestError 503 while the worker is starting */
  get herder(): Herder {
    if (this.#herder === null) throw new RequestError(503, this.#startingMessage)
    return this.#herder
  }

  get serverInfo(): ServerInfo {
    return this.#herder?.serverInfo() ?? this.#serverInfo
  }

  get health(): WorkerStatus {
    return this.#herder?.health() ?? { status: 'starting', message: this.#startingMessage }
  }

  get #startingMessage(): string {
    return `Worker is still starting up. ${this.#stage}`
  }
}
