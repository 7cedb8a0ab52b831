import type { OngoingOutage } from '@tributary/support'
import { WorkerOffsets, type OffsetAccess } from '../../storage/offset-access.ts'
import type { RestartRequest } from '../../storage/desired-state.ts'
import type { TaskFailure, TaskListener, TaskRunner } from '../../worker/task-runner.ts'
import { ConnectorViews } from '../connector-views.ts'
import { HerderError } from '../herder-error.ts'
import { planRestart } from '../restart-plan.ts'
import { NOT_HERE, type ConnectorCondition, type ConnectorTaskRestarts } from './connector-condition.ts'
import { ConnectorReconciler } from './connector-reconciler.ts'
import type { Fencing, ReconcilerContext } from './reconciler-context.ts'
import { StatusReporter, type StatusReporterOptions } from './status-reporter.ts'
import { TaskPlanner } from './task-planner.ts'

export interface ReconcilersOptions extends StatusReporterOptions {
  /** Creates what runs the tasks; it reports to the listener what becomes of them. */
  readonly createRunner: (listener: TaskListener) => TaskRunner
  /** Default: all offsets are in the topic of the worker. */
  readonly offsets?: OffsetAccess
  /** Default: null, tasks deliver at least once. */
  readonly fencing?: Fencing | null
}

/** The reconcilers of a worker, one for each connector that it runs or that a request is about. */
export class Reconcilers implements TaskListener {
  readonly runner: TaskRunner
  readonly reporter: StatusReporter
  readonly #context: ReconcilerContext
  readonly #views: ConnectorViews
  readonly #byName = new Map<string, ConnectorReconciler>()
  /** Resolves when a worker that stops has stopped all tasks. */
  readonly #stopped = Promise.withResolvers<void>()
  /** Ends the turns that have begun. */
  #interrupt = new AbortController()
  #turnSignal: AbortSignal

  constructor(options: ReconcilersOptions, stop: AbortSignal) {
    const { plugins, storage, clock, logger, assignment } = options
    this.reporter = new StatusReporter(options)
    this.runner = options.createRunner(this)
    this.#views = new ConnectorViews(storage, plugins)
    this.#turnSignal = AbortSignal.any([stop, this.#interrupt.signal])
    this.#context = {
      storage,
      offsets: options.offsets ?? new WorkerOffsets(storage),
      fencing: options.fencing ?? null,
      runner: this.runner,
      planner: new TaskPlanner(plugins, storage.configs),
      assignment,
      reporter: this.reporter,
      clock,
      logger,
      stop,
      turnSignal: () => this.#turnSignal,
    }
  }

  /**
   * Runs work that changes a connector, after the connector's earlier turns and work. It ends, as a turn does, when the
   * worker has lost its place in the group: a write would wait for the lease, and the lease for the end of the turns.
   *
   * @throws rebalancing, and what the work throws
   */
  async inTurn<T>(name: string, work: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
    const turn = this.#turnSignal
    try {
      return await this.#of(name).inTurn(work, AbortSignal.any([signal, turn]))
    } catch (error) {
      const isInterrupted = turn.aborted && !signal.aborted && !this.#context.stop.aborted
      throw isInterrupted && !(error instanceof HerderError) ? new HerderError({ tag: 'rebalancing' }, error) : error
    } finally {
      this.#dropIdle(name)
    }
  }

  /** Something about the connector has changed: brings it in line with that. */
  reconcile(name: string): void {
    const reconciler = this.#of(name)
    reconciler.requestTurn()
    void reconciler.drain().then(() => this.#dropIdle(name))
  }

  /** Restarts what the request names, according to the statuses as they are now. */
  restart(request: RestartRequest): void {
    const { connector } = request
    const { configs, statuses } = this.#context.storage
    if (configs.get(connector) === null || statuses.connector(connector) === null) return
    const reconciler = this.#of(connector)
    reconciler.requestRestart(planRestart(this.#views.status(connector), request))
    // The connector and its tasks may all belong to other workers.
    void reconciler.drain().then(() => this.#dropIdle(connector))
  }

  restartTask(name: string, task: number): void {
    this.#of(name).requestTaskRestart(task)
  }

  onClaimed(connector: string, task: number): void {
    void this.#byName.get(connector)?.tasks.answerClaim(task)
  }

  onStarted(connector: string, task: number): void {
    this.#byName.get(connector)?.tasks.handle(task, 'started')
  }

  onTopic(connector: string, task: number, topic: string): void {
    this.reporter.topic(connector, task, topic)
  }

  onWaiting(connector: string, task: number, outages: readonly OngoingOutage[]): void {
    this.#byName.get(connector)?.tasks.onWaiting(task, outages)
  }

  onFailed(connector: string, task: number, failure: TaskFailure): void {
    this.#byName.get(connector)?.tasks.onFailed(task, failure)
  }

  /**
   * The status of a connector (`task` null) or task was overwritten. If it is this worker's, the status was late: its
   * writer had to wait for the brokers. Then this worker writes the status that is true again.
   */
  repeatStatus(connector: string, task: number | null): void {
    const reconciler = this.#byName.get(connector)
    if (task === null) reconciler?.repeatStatus()
    else reconciler?.tasks.repeatStatus(task)
  }

  /** Whether this worker still has the task: its thread may run. */
  has(connector: string, task: number): boolean {
    return this.#byName.get(connector)?.tasks.has(task) ?? false
  }

  /** The condition of a connector and of those of its tasks that this worker runs. */
  health(connector: string): ConnectorCondition {
    return this.#byName.get(connector)?.health() ?? NOT_HERE
  }

  /** How often this worker has restarted tasks after failures, by connector and task. */
  get taskRestarts(): readonly ConnectorTaskRestarts[] {
    return [...this.#byName].flatMap(([connector, { tasks }]) =>
      tasks.restarts().map((each) => ({ connector, ...each })),
    )
  }

  #of(name: string): ConnectorReconciler {
    const reconciler = this.#byName.get(name) ?? new ConnectorReconciler(name, this.#context)
    this.#byName.set(name, reconciler)
    return reconciler
  }

  /** Requests about connectors that do not exist must not accumulate. */
  #dropIdle(name: string): void {
    if (this.#byName.get(name)?.isIdle === true) this.#byName.delete(name)
  }

  /**
   * Brings connectors in line with the assignment. Resolves when that is done: work that this worker has lost has
   * ended. A worker that stops takes no turns any more; then it resolves when all tasks have ended.
   */
  async settle(names: Iterable<string>): Promise<void> {
    const chosen = [...names]
    for (const name of chosen) this.reconcile(name)
    await Promise.all(chosen.map((name) => this.#of(name).drain()))
    if (this.#context.stop.aborted) await this.#stopped.promise
  }

  /** The same for all connectors that exist or of which something runs. */
  settleAll(): Promise<void> {
    return this.settle(new Set([...this.#context.storage.configs.names, ...this.#byName.keys()]))
  }

  /**
   * Ends what turns wait for: without the lease they would wait until it is held again, which may need their end. The
   * next turns do the rest.
   */
  interruptTurns(): void {
    this.#interrupt.abort()
    this.#interrupt = new AbortController()
    this.#turnSignal = AbortSignal.any([this.#context.stop, this.#interrupt.signal])
  }

  /** Resolves when everything queued so far is done. */
  async drain(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((reconciler) => reconciler.drain()))
  }

  /** Stops all tasks within the limit and reports them as UNASSIGNED. No turn starts any more. */
  async stop(limitMs: number): Promise<void> {
    await Promise.all([this.#stopTasks(limitMs), this.drain()])
  }

  async #stopTasks(limitMs: number): Promise<void> {
    await this.runner.stop(limitMs)
    for (const reconciler of this.#byName.values()) reconciler.shutDown()
    this.#stopped.resolve()
    await this.reporter.settle()
  }
}
