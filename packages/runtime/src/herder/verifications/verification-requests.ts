import type { ConfigMap } from '@tributary/connect-api'
import type { StartVerificationRequest, Verification } from '@tributary/rest-api'
import type { Clock } from '@tributary/support'
import type { Storage } from '../../storage/storage.ts'
import type { ConnectorProgress } from '../../verification/verifier.ts'
import type { TaskRunner } from '../../worker/task-runner.ts'
import type { ConnectorViews } from '../connector-views.ts'
import { HerderError } from '../herder-error.ts'
import { RunningVerification } from './running-verification.ts'

export interface VerificationRequestsOptions {
  readonly storage: Storage
  readonly views: ConnectorViews
  readonly runner: TaskRunner
  /** Entry file of the threads. */
  readonly threadUrl: URL
  /** With references. */
  readonly workerProperties: ConfigMap
  readonly clock: Clock
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal
}

/** Comparisons of tables and topics. Their states are kept in memory until the worker ends. */
export class VerificationRequests {
  readonly #options: VerificationRequestsOptions
  /** The latest last. */
  #runs: RunningVerification[] = []
  #count = 0

  constructor(options: VerificationRequestsOptions) {
    this.#options = options
  }

  start(name: string, { tables = [], rate = null }: StartRequest): Verification {
    const { views, threadUrl, workerProperties, clock, stop } = this.#options
    const { config } = views.desired(name)
    if (stop.aborted) throw new HerderError({ tag: 'worker stopping' })
    const running = this.#runs.filter(({ isRunning }) => isRunning)
    const same = running.find(({ connector }) => connector === name)
    if (same !== undefined) throw new HerderError({ tag: 'verification running', connector: name, id: same.id })
    if (running.length >= RUNNING_MAX) throw new HerderError({ tag: 'too many verifications', running: running.length })
    this.#count += 1
    const run = new RunningVerification({
      // Unlike a number, it is not taken for one of an earlier worker.
      id: `${clock.now().toString(36)}-${this.#count}`,
      data: { connectorName: name, config, workerProperties, tables, rowsPerSecond: rate },
      threadUrl,
      readProgress: () => this.#progress(name),
      clock,
    })
    this.#forgetOldest()
    this.#runs.push(run)
    return run.toDocument()
  }

  list(name: string): readonly Verification[] {
    this.#options.views.desired(name)
    return this.#runs
      .filter(({ connector }) => connector === name)
      .map((run) => run.toDocument())
      .toReversed()
  }

  get(name: string, id: string): Verification {
    return this.#find(name, id).toDocument()
  }

  async remove(name: string, id: string): Promise<void> {
    const run = this.#find(name, id)
    if (run.isRunning) await run.cancel()
    else this.#runs = this.#runs.filter((each) => each !== run)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#runs.filter(({ isRunning }) => isRunning).map((run) => run.cancel()))
  }

  #find(name: string, id: string): RunningVerification {
    const run = this.#runs.find((each) => each.connector === name && each.id === id)
    if (run === undefined) throw new HerderError({ tag: 'unknown verification', connector: name, id })
    return run
  }

  #forgetOldest(): void {
    const ended = this.#runs.filter(({ isRunning }) => !isRunning)
    if (ended.length >= KEPT_MAX) this.#runs = this.#runs.filter((each) => each !== ended[0])
  }

  /** The task stores its offset now: a commit that it has completed is in the topic before the next question. */
  async #progress(name: string): Promise<ConnectorProgress> {
    const { storage, runner, views } = this.#options
    runner.commitOffsets(name)
    await storage.readOffsetsToEnd(this.#options.stop)
    const [stored] = storage.offsets.offsets(name)
    return { offset: stored?.offset ?? null, state: this.#stateOf(name, views) }
  }

  #stateOf(name: string, views: ConnectorViews): string {
    if (views.desired(name).targetState === 'STOPPED') return 'STOPPED'
    const { tasks } = views.status(name)
    return tasks[0]?.state ?? 'UNASSIGNED'
  }
}

interface StartRequest {
  readonly tables?: StartVerificationRequest['tables']
  readonly rate?: number | null
}

/** Each reads a table and a topic as fast as it can. */
const RUNNING_MAX = 2
/** Ended runs that are kept for their readers. */
const KEPT_MAX = 20
