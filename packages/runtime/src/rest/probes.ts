import { ownOperations, type ProbeAnswer } from '@tributary/rest-api'
import type { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'

/** The age of the last answer of a task's thread from which on `GET /health/live` reports that it is blocked. */
export const BLOCKED_AFTER_MS = 60_000

/**
 * `GET /health/live` and `GET /health/ready`, for orchestrators. They need no login, because a probe often cannot have
 * one, and their answers contain nothing but a word.
 */
export class Probes {
  readonly routes: readonly OwnRoute[]
  /** The running tasks whose threads have not answered for the limit. Set when the worker has started. */
  findBlockedTasks: ((limitMs: number) => Promise<readonly string[]>) | null = null
  readonly #gate: HerderGate

  constructor(gate: HerderGate) {
    this.#gate = gate
    this.routes = [
      { path: ownOperations.getLive.path, isPublic: true, handle: async () => answer(await this.#live()) },
      { path: ownOperations.getReady.path, isPublic: true, handle: () => answer(this.#ready()) },
    ]
  }

  /** A worker that waits for its brokers is live: a restart would not help. */
  async #live(): Promise<ProbeAnswer> {
    const blocked = (await this.findBlockedTasks?.(BLOCKED_AFTER_MS)) ?? []
    return { status: blocked.length === 0 ? 'live' : 'blocked' }
  }

  #ready(): ProbeAnswer {
    return { status: this.#gate.health.status === 'healthy' ? 'ready' : 'starting' }
  }
}

const STATUS_CODES = { live: 200, ready: 200, blocked: 503, starting: 503 } as const

function answer(document: ProbeAnswer): { readonly status: number; readonly document: ProbeAnswer } {
  return { status: STATUS_CODES[document.status], document }
}
