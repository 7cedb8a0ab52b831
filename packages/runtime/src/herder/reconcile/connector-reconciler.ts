import type { ConnectorState, ConnectorStateInfo } from '@tributary/rest-api'
import { problemOf, StoppedError, throwIfStopped, toError, unreachable, type Timer } from '@tributary/support'
import type { DesiredConnector } from '../../storage/desired-state.ts'
import { failureKind } from '../../task/task-failure.ts'
import { formatTrace } from '../../task/trace.ts'
import { connectorEvent } from './assignment.ts'
import type { ConnectorCondition } from './connector-condition.ts'
import { connectorTable, type ConnectorAction, type ConnectorEvent, type ReconcilerState } from './connector-states.ts'
import { FailureStreak } from './failure-streak.ts'
import type { ReconcilerContext } from './reconciler-context.ts'
import { retryPolicy } from './retry-policy.ts'
import { SerialQueue } from './serial-queue.ts'
import { TaskSet } from './task-set.ts'

/**
 * Brings one connector on this worker in line with the desired state. It owns the connector: everything that takes time
 * (turns, and requests that change the connector) goes through its queue, one after the other, and waits for no other
 * connector. A turn looks only at the stores, so it does not matter how often or why one is requested.
 */
export class ConnectorReconciler {
  readonly tasks: TaskSet
  readonly #name: string
  readonly #context: ReconcilerContext
  readonly #queue = new SerialQueue()
  #state: ReconcilerState = 'absent'
  /** Its last status; null: this worker has written none since it has the connector. */
  #reported: { readonly state: ConnectorState; readonly trace: string | null } | null = null
  /** Of the connector that the last turn found. */
  #incarnation: number | null = null
  /** A turn is in the queue and has not begun: it will see every change made so far. */
  #isTurnQueued = false
  /** Turns that failed. */
  readonly #streak = new FailureStreak()
  #retry: Timer | null = null

  constructor(name: string, context: ReconcilerContext) {
    this.#name = name
    this.#context = context
    this.tasks = new TaskSet(name, context, () => this.requestTurn())
  }

  /** Nothing is left to do or to remember. */
  get isIdle(): boolean {
    return this.#state === 'absent' && this.tasks.isEmpty && this.#queue.isEmpty
  }

  /** Runs work that changes the connector after everything that was queued before. */
  async inTurn<T>(work: (signal: AbortSignal) => Promise<T> | T, signal: AbortSignal): Promise<T> {
    return this.#queue.run(async () => {
      throwIfStopped(signal)
      return work(signal)
    })
  }

  requestTurn(): void {
    if (this.#isTurnQueued) return
    this.#isTurnQueued = true
    const { turnSignal, logger } = this.#context
    const turn = this.#queue.run(() => {
      const signal = turnSignal()
      throwIfStopped(signal)
      return this.#turn(signal)
    })
    turn.catch((error: unknown) => {
      if (error instanceof StoppedError) return
      logger.error(`Connector ${this.#name} could not be brought in line with what is stored about it`, {
        error: toError(error),
      })
    })
  }

  async #turn(signal: AbortSignal): Promise<void> {
    this.#isTurnQueued = false
    this.#retry?.cancel()
    const { storage, planner, assignment, logger } = this.#context
    const { incarnation = null } = storage.configs.get(this.#name) ?? {}
    // Deleted and created again since the last turn, perhaps with the same configuration: its tasks must restart.
    if (this.#incarnation !== null && incarnation !== null && this.#incarnation !== incarnation)
      await this.#handle('delete', { desired: null, signal })
    this.#incarnation = incarnation
    try {
      // Its next owner relies on that, whatever else of this turn fails.
      await this.tasks.stopForeign(storage.configs.get(this.#name))
      if (assignment.hasConnector(this.#name) && storage.configs.get(this.#name)?.targetState === 'STARTED') {
        await planner.plan(this.#name, signal)
      }
      const desired = storage.configs.get(this.#name)
      const event = connectorEvent(this.#name, desired, assignment)
      await this.#handle(event, { desired, signal })
      if (event === 'stop') await planner.planStopped(this.#name, signal)
      this.#streak.end()
    } catch (error) {
      if (error instanceof StoppedError) throw error
      logger.error(`Connector ${this.#name} could not be started`, { error: toError(error) })
      this.#scheduleTurn(error)
      await this.#handle('start failed', { trace: formatTrace(error) })
      // The status of the connector is another worker's then, and would not show it.
      if (!assignment.hasConnector(this.#name)) this.tasks.reportUnstarted(formatTrace(error))
    }
  }

  /** Schedules another turn after a delay, for an error whose cause may pass. An earlier turn replaces it. */
  #scheduleTurn(error: unknown): void {
    const { clock, storage, logger, stop } = this.#context
    const nowMs = clock.now()
    this.#streak.add(problemOf(error), nowMs, null)
    if (failureKind(error) === 'fail') return
    const delayMs = this.#streak.schedule(retryPolicy(storage.configs.get(this.#name)?.config ?? {}), nowMs)
    if (delayMs === null) {
      logger.error(`Connector ${this.#name} is not started again by itself: errors.max.retries is reached`)
      return
    }
    logger.warn(`Connector ${this.#name} is started again in ${delayMs} ms`)
    this.#retry = clock.after(delayMs, () => {
      if (!stop.aborted) this.requestTurn()
    })
  }

  /** The condition of the connector and its tasks on this worker. */
  health(): ConnectorCondition {
    return { row: this.#state === 'failed' ? this.#streak.row : null, tasks: this.tasks.health() }
  }

  /** Marks what a restart request includes, that is what is RESTARTING in the plan; the next turn restarts it. */
  requestRestart({ connector, tasks }: ConnectorStateInfo): void {
    if (connector.state === 'RESTARTING') {
      this.#streak.end()
      void this.#handle('restart', {})
    }
    for (const { id, state } of tasks) if (state === 'RESTARTING') this.tasks.handle(id, 'restart')
    this.requestTurn()
  }

  requestTaskRestart(task: number): void {
    this.tasks.handle(task, 'restart')
    this.requestTurn()
  }

  async #handle(event: ConnectorEvent, occasion: Occasion): Promise<void> {
    const cell = connectorTable[this.#state][event]
    if (cell === null) return
    this.#state = cell.next
    for (const action of cell.actions) {
      if (action === 'reconcile tasks') await this.#reconcileTasks(occasion)
      else this.#report(action, occasion.trace ?? null)
    }
  }

  async #reconcileTasks({ desired = null, signal = this.#context.stop }: Occasion): Promise<void> {
    await this.tasks.reconcile(desired, signal)
  }

  #report(action: Exclude<ConnectorAction, 'reconcile tasks'>, trace: string | null): void {
    const { reporter, logger } = this.#context
    switch (action) {
      case 'report RUNNING':
        return this.#reportState('RUNNING')
      case 'report PAUSED':
        return this.#reportState('PAUSED')
      case 'report STOPPED':
        return this.#reportState('STOPPED')
      case 'report RESTARTING':
        return this.#reportState('RESTARTING')
      case 'report FAILED':
        return this.#reportState('FAILED', trace)
      case 'report UNASSIGNED':
        return this.#reportState('UNASSIGNED')
      case 'remove statuses':
        reporter.remove(this.#name)
        logger.info(`Deleted connector ${this.#name}`)
        return
      default:
        unreachable(action)
    }
  }

  #reportState(state: ConnectorState, trace: string | null = null): void {
    this.#reported = this.#state === 'absent' ? null : { state, trace }
    this.#context.reporter.connector(this.#name, state, trace)
  }

  /** Writes the status of the connector again, after something else was written in its place. */
  repeatStatus(): void {
    if (this.#state === 'absent' || this.#reported === null) return
    this.#context.reporter.repeatConnector(this.#name, this.#reported.state, this.#reported.trace)
  }

  /** Resolves when everything queued so far is done. */
  drain(): Promise<void> {
    return this.#queue.drain()
  }

  /** Call when the worker has stopped all tasks: reports them and the connector as UNASSIGNED. */
  shutDown(): void {
    this.#retry?.cancel()
    this.tasks.shutDown()
    void this.#handle('shut down', {})
  }
}

/** What the actions of an event may need to know. */
interface Occasion {
  /** What a turn found. */
  readonly desired?: DesiredConnector | null
  readonly signal?: AbortSignal
  /** Of a failure. */
  readonly trace?: string
}
