import type { ConfigMap } from '@tributary/connect-api'
import type { TaskState } from '@tributary/rest-api'
import {
  present,
  problemOf,
  throwIfStopped,
  toError,
  unreachable,
  type OngoingOutage,
  type Timer,
} from '@tributary/support'
import type { DesiredConnector } from '../../storage/desired-state.ts'
import type { OffsetStore } from '../../storage/offset-store.ts'
import { taskId } from '../../storage/task-id.ts'
import { failureKind } from '../../task/task-failure.ts'
import { formatTrace } from '../../task/trace.ts'
import type { TaskFailure } from '../../worker/task-runner.ts'
import { taskEvent } from './assignment.ts'
import type { FailureRow, TaskCondition, TaskRestarts } from './connector-condition.ts'
import { FailureStreak } from './failure-streak.ts'
import type { ReconcilerContext } from './reconciler-context.ts'
import { retryPolicy } from './retry-policy.ts'
import { taskTable, type TaskAction, type TaskEvent, type TaskReconcilerState } from './task-states.ts'

/**
 * The tasks of one connector on this worker. Each is in a state of the table `task-states.ts`; the table decides what
 * an event does. `reconcile` is called by the connector's turns, one at a time; reports, restarts and retries arrive in
 * between, also while a turn waits.
 */
export class TaskSet {
  readonly #connector: string
  readonly #context: ReconcilerContext
  /** Requests a turn of the connector. */
  readonly #requestTurn: () => void
  readonly #tasks = new Map<number, Task>()
  /** The stored set of task configurations that was last applied; null while no task is to exist. */
  #applied: readonly ConfigMap[] | null = null
  /** The offsets of the connector, read before its tasks start; null before that, or if tasks read them later. */
  #offsets: OffsetStore | null = null

  constructor(connector: string, context: ReconcilerContext, requestTurn: () => void) {
    this.#connector = connector
    this.#context = context
    this.#requestTurn = requestTurn
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0
  }

  /** Whether the task is in any state but `absent`. */
  has(task: number): boolean {
    return this.#tasks.has(task)
  }

  /**
   * Brings the tasks in line with what is desired: stops, all at once, those that are to stop or to start again; then
   * starts those that are to run, with the offsets that their predecessors have stored.
   */
  async reconcile(desired: DesiredConnector | null, signal: AbortSignal): Promise<void> {
    const events = this.#findEvents(desired)
    this.#noteApplied(desired)
    await this.#handleAll(events)
    if (this.#numbersIn('idle').length > 0) {
      await this.#prepare(desired, signal)
      throwIfStopped(signal)
      for (const number of this.#numbersIn('idle')) this.handle(number, 'offsets read')
    }
  }

  /** Stops the tasks that are not assigned to this worker, and nothing else. */
  async stopForeign(desired: DesiredConnector | null): Promise<void> {
    const { assignment } = this.#context
    const events = [...this.#findEvents(desired)].filter(([task]) => this.has(task))
    await this.#handleAll(new Map(events.filter(([task]) => !assignment.hasTask(this.#connector, task))))
  }

  /** Handles the events of a turn, and stops all tasks that have to stop together. */
  async #handleAll(events: ReadonlyMap<number, TaskEvent>): Promise<void> {
    for (const [number, event] of events) this.handle(number, event)
    const stopping = this.#numbersIn('stopping').filter((number) => events.has(number))
    if (stopping.length === 0) return
    await this.#context.runner.stopTasks(this.#connector, STOP_TIMEOUT_MS, stopping)
    for (const number of stopping) this.handle(number, 'stopped')
    for (const number of stopping) this.handle(number, present(events.get(number), 'an event of each task'))
  }

  /**
   * Prepares the start of tasks. A task that delivers exactly once reads its offsets later, when it has taken over its
   * transactional id: only then can nobody store newer ones.
   */
  async #prepare(desired: DesiredConnector | null, signal: AbortSignal): Promise<void> {
    const { offsets, fencing } = this.#context
    if (fencing === null) this.#offsets = await offsets.read(this.#connector, desired?.config ?? {}, signal)
    else await fencing.fence(this.#connector, signal)
  }

  /** What is to run and waits for its offsets cannot be started: it is FAILED until another turn starts it. */
  reportUnstarted(trace: string): void {
    for (const number of this.#numbersIn('idle')) this.#context.reporter.task(this.#connector, number, 'FAILED', trace)
  }

  /** Sends the stored offsets to a task that waits for them, unless it has to stop by now. */
  async answerClaim(number: number): Promise<void> {
    const { storage, offsets, assignment, runner, stop, clock, logger } = this.#context
    const claimed = this.#tasks.get(number)?.starts
    // Another thread may have been started meanwhile: it gets the offsets after its own claim.
    const mayRun = (): boolean => {
      const { state, starts } = this.#tasks.get(number) ?? {}
      return state === 'starting' && starts === claimed && assignment.hasTask(this.#connector, number)
    }
    const late = clock.after(LATE_AFTER_MS, () => logger.warn(lateOffsets(taskId(this.#connector, number))))
    try {
      // The one with which the task was started: a newer one may name another topic of offsets.
      const config = this.#applied?.[number] ?? storage.configs.get(this.#connector)?.config
      if (config === undefined || !mayRun()) return
      const stored = (await offsets.read(this.#connector, config, stop)).offsets(this.#connector)
      if (mayRun()) runner.sendOffsets(this.#connector, number, stored)
    } catch (error) {
      if (stop.aborted) return
      logger.error(`The stored offsets of task ${taskId(this.#connector, number)} could not be read`, {
        error: toError(error),
      })
      const isRetriable = failureKind(error) !== 'fail'
      if (mayRun()) this.onFailed(number, { trace: formatTrace(error), isRetriable, problem: problemOf(error) })
    } finally {
      late.cancel()
    }
  }

  #findEvents(desired: DesiredConnector | null): ReadonlyMap<number, TaskEvent> {
    const { storage, assignment } = this.#context
    const taskConfigs = desired?.taskConfigs ?? []
    const known = storage.statuses.tasks(this.#connector).map(([number]) => number)
    const numbers = [...new Set([...taskConfigs.keys(), ...this.#tasks.keys(), ...known])].sort((a, b) => a - b)
    const [connector, applied] = [this.#connector, this.#applied]
    return new Map(numbers.map((task) => [task, taskEvent({ connector, task, desired, applied }, assignment)]))
  }

  #noteApplied(desired: DesiredConnector | null): void {
    if (desired === null || desired.targetState === 'STOPPED') this.#applied = null
    else if (desired.targetState === 'STARTED') this.#applied = desired.taskConfigs ?? []
  }

  #numbersIn(state: TaskReconcilerState): readonly number[] {
    return [...this.#tasks].filter(([, task]) => task.state === state).map(([number]) => number)
  }

  /** Applies an event to a task. `trace`: of a failure. */
  handle(number: number, event: TaskEvent, trace: string | null = null): void {
    const task = this.#tasks.get(number) ?? {
      state: 'absent',
      streak: new FailureStreak(),
      startedMs: null,
      outages: [],
      delayMs: null,
      starts: 0,
      refusedBytes: {},
      retry: null,
      reported: null,
    }
    const cell = taskTable[task.state][event]
    if (cell === null) return
    task.state = cell.next
    // Somebody has acted, so earlier failures do not predict the next start.
    if (event === 'restart' || event === 'reconfigure') task.streak.end()
    if (event === 'started') task.startedMs = this.#context.clock.now()
    if (cell.next === 'absent') this.#tasks.delete(number)
    else this.#tasks.set(number, task)
    for (const action of cell.actions) this.#perform(action, number, { task, trace })
  }

  #perform(action: TaskAction, number: number, { task, trace }: Occasion): void {
    const { reporter } = this.#context
    switch (action) {
      case 'start':
        task.startedMs = null
        task.outages = []
        task.starts += 1
        return this.#start(number)
      case 'stop':
        // `reconcile` stops all tasks in the state `stopping` together.
        return
      case 'schedule retry':
        return this.#scheduleRetry(number, task)
      case 'cancel retry':
        task.retry?.cancel()
        task.streak.unschedule(false)
        return
      case 'report RUNNING':
        return this.#report(number, task, 'RUNNING')
      case 'report PAUSED':
        return this.#report(number, task, 'PAUSED')
      case 'report PAUSED unless FAILED':
        if (reporter.taskState(this.#connector, number) === 'FAILED') return
        return this.#report(number, task, 'PAUSED')
      case 'report RESTARTING':
        return this.#report(number, task, 'RESTARTING')
      case 'report FAILED':
        return this.#report(number, task, 'FAILED', trace)
      case 'report UNASSIGNED':
        return this.#report(number, task, 'UNASSIGNED')
      case 'remove status':
        return reporter.removeTask(this.#connector, number)
      default:
        unreachable(action)
    }
  }

  #report(number: number, task: Task, state: TaskState, trace: string | null = null): void {
    task.reported = { state, trace }
    this.#context.reporter.task(this.#connector, number, state, trace)
  }

  /** Writes the status of a task again, after something else was written in its place. */
  repeatStatus(number: number): void {
    const { state, trace } = this.#tasks.get(number)?.reported ?? {}
    if (state !== undefined) this.#context.reporter.task(this.#connector, number, state, trace)
  }

  #start(taskNumber: number): void {
    const { runner, logger } = this.#context
    const connectorName = this.#connector
    try {
      const config = present(this.#applied?.[taskNumber], 'the configuration of a task that is to run')
      const storedOffsets = this.#offsets?.offsets(connectorName) ?? []
      runner.startTask({
        connectorName,
        taskNumber,
        config,
        storedOffsets,
        refusedBytes: this.#refusedBytes(taskNumber),
      })
    } catch (error) {
      logger.error(`Task ${taskId(connectorName, taskNumber)} could not be started`, { error: toError(error) })
      const isRetriable = failureKind(error) !== 'fail'
      this.onFailed(taskNumber, { trace: formatTrace(error), isRetriable, problem: problemOf(error) })
    }
  }

  #refusedBytes(number: number): Readonly<Record<string, number>> {
    return { ...this.#tasks.get(number)?.refusedBytes }
  }

  /** The thread of a task, or its creation, reports a failure. */
  onFailed(number: number, failure: TaskFailure): void {
    const task = this.#tasks.get(number)
    // A task that was asked to stop may still report a failure: ignore it.
    if (task === undefined || taskTable[task.state].failed === null) return
    const nowMs = this.#context.clock.now()
    const problem = failure.problem ?? { code: null, message: failure.trace.split('\n', 1)[0] ?? '', action: null }
    task.outages = []
    if (failure.refused !== null && failure.refused !== undefined)
      task.refusedBytes[failure.refused.topic] = failure.refused.bytes
    const hasAdvanced = failure.hasAdvanced === true && task.startedMs !== null
    if (failure.isOfNeighbour === true) {
      task.delayMs = task.streak.scheduleForNeighbour(problem, nowMs)
      this.handle(number, 'failed retriably', failure.trace)
      return
    }
    task.streak.add(problem, nowMs, hasAdvanced ? nowMs - (task.startedMs ?? nowMs) : null)
    const properties = failure.retryProperties ?? this.#applied?.[number] ?? {}
    const delayMs = failure.isRetriable ? task.streak.schedule(retryPolicy(properties), nowMs) : null
    task.delayMs = delayMs
    if (failure.isRetriable && delayMs === null) this.#logGivenUp(number)
    this.handle(number, delayMs === null ? 'failed' : 'failed retriably', failure.trace)
  }

  #logGivenUp(number: number): void {
    const id = taskId(this.#connector, number)
    this.#context.logger.error(`Task ${id} is not started again by itself: errors.max.retries is reached`)
  }

  /** Called when the activities that a running task retries have changed. */
  onWaiting(number: number, outages: readonly OngoingOutage[]): void {
    const task = this.#tasks.get(number)
    if (task !== undefined) task.outages = outages
  }

  health(): readonly TaskCondition[] {
    return Array.from(this.#tasks, ([number, task]) => ({
      task: number,
      state: task.state,
      row: this.#rowOf(number, task),
      outages: task.state === 'running' || task.state === 'starting' ? task.outages : [],
    }))
  }

  /** A run that has delivered a record, or has lasted, shows no failures, even if the next one continues the row. */
  #rowOf(number: number, { state, streak, startedMs }: Task): FailureRow | null {
    if (state !== 'running' || startedMs === null) return streak.row
    const { clock, runner } = this.#context
    const acknowledged = runner.taskMetrics(this.#connector, number)?.counters['records.acknowledged'] ?? 0
    return acknowledged > 0 || clock.now() - startedMs >= WELL_AFTER_MS ? null : streak.row
  }

  restarts(): readonly TaskRestarts[] {
    const nowMs = this.#context.clock.now()
    return Array.from(this.#tasks, ([number, task]) => {
      const sinceMs = (this.#rowOf(number, task) ?? task.outages[0])?.sinceMs ?? nowMs
      return { task: number, restarts: task.streak.restarts, problemMs: Math.max(0, nowMs - sinceMs) }
    })
  }

  #scheduleRetry(number: number, task: Task): void {
    const { clock, logger, stop } = this.#context
    const delayMs = present(task.delayMs, 'the delay of a task that failed retriably')
    const id = taskId(this.#connector, number)
    logger.warn(`Task ${id} failed with an error that is retriable; the worker restarts it in ${delayMs} ms`)
    task.retry = clock.after(delayMs, () => {
      if (stop.aborted) return
      task.streak.unschedule(true)
      this.handle(number, 'retry due')
      this.#requestTurn()
    })
  }

  /** The worker has stopped all tasks. */
  shutDown(): void {
    for (const number of this.#tasks.keys()) this.handle(number, 'shut down')
  }
}

interface Task {
  state: TaskReconcilerState
  readonly streak: FailureStreak
  /** When its current thread reported its start; null before that. */
  startedMs: number | null
  /** The activities that its current thread retries. */
  outages: readonly OngoingOutage[]
  /** The delay until the next start; null: no start is scheduled. */
  delayMs: number | null
  /** By topic: the size of a record that its brokers have refused as too large. */
  readonly refusedBytes: Record<string, number>
  /** How often a thread was started. */
  starts: number
  /** Its last status; null: this worker has written none. */
  reported: { readonly state: TaskState; readonly trace: string | null } | null
  /** The timer of the state `backing off`. */
  retry: Timer | null
}

/** What an action may need to know. */
interface Occasion {
  readonly task: Task
  readonly trace: string | null
}

/** Reading an offset topic takes less time than this, unless it waits for a transaction. */
const LATE_AFTER_MS = 5_000

function lateOffsets(task: string): string {
  return (
    `Task ${task} waits for the end of its offset topic. A transaction of another producer may be open there: that of ` +
    'a killed worker ends after transaction.timeout.ms'
  )
}

/** As long as all tasks of a worker have together by default when it stops. */
const STOP_TIMEOUT_MS = 10_000

/** Most failures of a start appear within seconds. */
const WELL_AFTER_MS = 30_000
