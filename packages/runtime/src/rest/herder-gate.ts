import type { ServerInfo, WorkerStatus } from '@tributary/rest-api'
import type { Herder } from '../herder/herder.ts'
import { RequestError } from './request-error.ts'

/**
 * Access to the herder, which is not available while the worker is starting. During the start, the gate itself answers
 * `GET /` and `GET /health`, whose document names the current step, and refuses every other request with status 503.
 * (Kafka Connect answers every path with 404 until it has started.)
 */
export class HerderGate {
  readonly #serverInfo: ServerInfo
  readonly #onStage: (stage: string) => void
  #stage: string
  #herder: Herder | null = null

  /** `onStage` is called with the stage, and when it changes. */
  constructor(serverInfo: ServerInfo, stage: string, onStage: (stage: string) => void = () => undefined) {
    this.#serverInfo = serverInfo
    this.#onStage = onStage
    this.#stage = stage
    onStage(stage)
  }

  /** A gate to a herder that has started. */
  static opened(herder: Herder): HerderGate {
    const gate = new HerderGate(herder.serverInfo(), '')
    gate.open(herder)
    return gate
  }

  /** The current step of the worker's start, as a sentence without a full stop: “Waiting for the brokers at …”. */
  set stage(stage: string) {
    this.#stage = stage
    this.#onStage(stage)
  }

  /** Makes the herder available. */
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
