import type { TaskSignal, TaskSnapshot } from '@tributary/connect-api'
import type { AcceptedSignal } from '@tributary/rest-api'
import type { Storage } from '../storage/storage.ts'
import type { TaskRunner } from '../worker/task-runner.ts'
import { HerderError } from './herder-error.ts'

export interface SignalRequestsOptions {
  readonly storage: Storage
  readonly runner: Pick<TaskRunner, 'ask' | 'isRunning'>
}

/** Requests to the task of a connector on this worker. A connector with signals has one task. */
export class SignalRequests {
  readonly #options: SignalRequestsOptions

  constructor(options: SignalRequestsOptions) {
    this.#options = options
  }

  async snapshot(name: string): Promise<TaskSnapshot | null> {
    this.#require(name)
    const answer = await this.#options.runner.ask(name, TASK, { tag: 'snapshot' }, SNAPSHOT_MS)
    return answer?.tag === 'snapshot' ? answer.snapshot : null
  }

  async send(name: string, signal: TaskSignal): Promise<AcceptedSignal> {
    this.#require(name)
    const { runner } = this.#options
    if (!runner.isRunning(name, TASK)) throw new HerderError({ tag: 'signal refused', reason: notRunning(name) })
    const answer = await runner.ask(name, TASK, { tag: 'signal', signal }, SIGNAL_MS)
    if (answer?.tag !== 'signal') throw new HerderError({ tag: 'signal not stored', id: signal.id })
    const { result } = answer
    if (result.tag === 'invalid') throw new HerderError({ tag: 'invalid signal', reason: result.reason })
    if (result.tag === 'unavailable') throw new HerderError({ tag: 'signal refused', reason: result.reason })
    return { id: signal.id, type: signal.type, is_repeated: result.isRepeated }
  }

  #require(name: string): void {
    if (!this.#options.storage.configs.names.includes(name)) {
      throw new HerderError({ tag: 'unknown connector', connector: name, request: 'read' })
    }
  }
}

function notRunning(name: string): string {
  return `The task of the connector ${name} does not run: GET /connectors/${name}/health has the reason. Resume or restart it, and send the signal again`
}

const TASK = 0
/** A thread that is blocked for longer answers nothing. */
const SNAPSHOT_MS = 1_000
/** Of a request, which is limited to 90 s: the brokers may be unreachable for a while. */
const SIGNAL_MS = 30_000
