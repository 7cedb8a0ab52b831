import type { ConfigMap } from '@tributary/connect-api'
import { BackOff, present, throwIfStopped, toError, unreachable, type Timer } from '@tributary/support'
import type { DesiredConnector } from '../../storage/desired-state.ts'
import { taskId } from '../../storage/task-id.ts'
import { formatTrace } from '../../task/trace.ts'
import { taskEvent } from './assignment.ts'
import type { ReconcilerContext } from './reconciler-context.ts'
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

  constructor(connector: string, context: ReconcilerContext, requestTurn: () => void) {
    this.#connector = connector
    this.#context = context
    this.#requestTurn = requestTurn
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0
  }

  /**
   * Brings the tasks in line with what is desired: stops, all at once, those that are to stop or to start again; then
   * starts those that are to run, with the offsets that their predecessors have stored.
   */
  async reconcile(desired: DesiredConnector | null, signal: AbortSignal): Promise<void> {
    const events = this.#findEvents(desired)
    for (const [number, event] of events) this.handle(number, event)
    const stopping = this.#numbersIn('stopping')
    if (stopping.length > 0) {
      await this.#context.runner.stopTasks(this.#connector, STOP_TIMEOUT_MS, stopping)
      for (const number of stopping) this.handle(number, 'stopped')
      for (const number of stopping) this.handle(number, present(events.get(number), 'an event of each task'))
    }
    if (this.#numbersIn('idle').length > 0) {
      await this.#context.storage.readOffsetsToEnd(signal)
      throwIfStopped(signal)
      for (const number of this.#numbersIn('idle')) this.handle(number, 'offsets read')
    }
  }

  #findEvents(desired: DesiredConnector | null): ReadonlyMap<number, TaskEvent> {
    const { storage, assignment } = this.#context
    const taskConfigs = desired?.taskConfigs ?? []
    const known = storage.statuses.tasks(this.#connector).map(([number]) => number)
    const numbers = [...new Set([...taskConfigs.keys(), ...this.#tasks.keys(), ...known])].sort((a, b) => a - b)
    const [connector, applied] = [this.#connector, this.#applied]
    const events = numbers.map((task) => [task, taskEvent({ connector, task, desired, applied }, assignment)] as const)
    if (desired === null || desired.targetState === 'STOPPED') this.#applied = null
    else if (desired.targetState === 'STARTED') this.#applied = taskConfigs
    return new Map(events)
  }

  #numbersIn(state: TaskReconcilerState): readonly number[] {
    return [...this.#tasks].filter(([, task]) => task.state === state).map(([number]) => number)
  }

  /** Applies an event to a task. `trace`: of a failure. */
  handle(number: number, event: TaskEvent, trace: string | null = null): void {
    const task = this.#tasks.get(number) ?? {
      state: 'absent',
      backOff: new BackOff(BACK_OFF),
      startedMs: null,
      retry: null,
    }
    const cell = taskTable[task.state][event]
    if (cell === null) return
    task.state = cell.next
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
        return this.#start(number)
      case 'stop':
        // `reconcile` stops all tasks in the state `stopping` together.
        return
      case 'schedule retry':
        return this.#scheduleRetry(number, task)
      case 'cancel retry':
        task.retry?.cancel()
        return
      case 'report RUNNING':
        return reporter.task(this.#connector, number, 'RUNNING')
      case 'report PAUSED':
        return reporter.task(this.#connector, number, 'PAUSED')
      case 'report PAUSED unless FAILED':
        if (reporter.taskState(this.#connector, number) === 'FAILED') return
        return reporter.task(this.#connector, number, 'PAUSED')
      case 'report RESTARTING':
        return reporter.task(this.#connector, number, 'RESTARTING')
      case 'report FAILED':
        return reporter.task(this.#connector, number, 'FAILED', trace)
      case 'report UNASSIGNED':
        return reporter.task(this.#connector, number, 'UNASSIGNED')
      case 'remove status':
        return reporter.removeTask(this.#connector, number)
      default:
        unreachable(action)
    }
  }

  #start(taskNumber: number): void {
    const { storage, runner, logger } = this.#context
    const connectorName = this.#connector
    try {
      const config = present(this.#applied?.[taskNumber], 'the configuration of a task that is to run')
      const storedOffsets = storage.offsets.offsets(connectorName)
      runner.startTask({ connectorName, taskNumber, config, storedOffsets })
    } catch (error) {
      logger.error(`Task ${taskId(connectorName, taskNumber)} could not be started`, { error: toError(error) })
      this.handle(taskNumber, 'failed', formatTrace(error))
    }
  }

  #scheduleRetry(number: number, task: Task): void {
    const { clock, logger, stop } = this.#context
    if (task.startedMs !== null && clock.now() - task.startedMs >= RECOVERED_AFTER_MS) task.backOff.reset()
    const delayMs = task.backOff.next()
    const id = taskId(this.#connector, number)
    logger.warn(`Task ${id} failed with an error that is retriable; the worker restarts it in ${delayMs} ms`)
    task.retry = clock.after(delayMs, () => {
      if (stop.aborted) return
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
  readonly backOff: BackOff
  /** When its current thread reported its start; null before that. */
  startedMs: number | null
  /** The timer of the state `backing off`. */
  retry: Timer | null
}

/** What an action may need to know. */
interface Occasion {
  readonly task: Task
  readonly trace: string | null
}

/** As long as all tasks of a worker have together by default when it stops. */
const STOP_TIMEOUT_MS = 10_000

/** By then the task itself has retried in vain, mostly for minutes; sooner attempts would only add connections. */
const BACK_OFF = { initialMs: 5_000, maxMs: 300_000 } as const

/** A task that ran for so long has recovered: the next delay is the first again. */
const RECOVERED_AFTER_MS = 300_000
