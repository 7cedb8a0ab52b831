import type { Clock, MeterSnapshot } from '@tributary/support'
import { taskId } from '../storage/task-id.ts'

/** The last known numbers of a task. */
export interface TaskMeasurement {
  readonly connectorName: string
  readonly taskNumber: number
  readonly metrics: MeterSnapshot
  /** How old the numbers are. More than some seconds: the thread of the task is blocked, or has ended. */
  readonly ageMs: number
  /** False: the task has failed, and these are its last numbers. */
  readonly isRunning: boolean
}

interface Known extends Omit<TaskMeasurement, 'ageMs'> {
  readonly atMs: number
}

/** A caller of `refresh`. */
interface Waiter {
  readonly missing: Set<string>
  readonly done: () => void
}

/**
 * The last numbers of each task. A task that has failed keeps its numbers until it starts again or is stopped, as Kafka
 * Connect keeps its beans: the numbers at the failure are of interest then.
 */
export class TaskMeasurements {
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()
  readonly #waiters = new Set<Waiter>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  put(connectorName: string, taskNumber: number, metrics: MeterSnapshot): void {
    const id = taskId(connectorName, taskNumber)
    this.#known.set(id, { connectorName, taskNumber, metrics, atMs: this.#clock.monotonicMs(), isRunning: true })
    this.#arrived(id)
  }

  get(connectorName: string, taskNumber: number): MeterSnapshot | null {
    const known = this.#known.get(taskId(connectorName, taskNumber))
    return known?.isRunning === true ? known.metrics : null
  }

  /** The task has failed. */
  freeze(connectorName: string, taskNumber: number): void {
    const id = taskId(connectorName, taskNumber)
    const known = this.#known.get(id)
    if (known !== undefined) this.#known.set(id, { ...known, isRunning: false })
    this.#arrived(id)
  }

  /** The thread of the task has ended. */
  end(connectorName: string, taskNumber: number): void {
    const id = taskId(connectorName, taskNumber)
    if (this.#known.get(id)?.isRunning === true) this.#known.delete(id)
    this.#arrived(id)
  }

  /** The task starts, or is stopped. */
  forget(connectorName: string, taskNumber: number): void {
    this.#known.delete(taskId(connectorName, taskNumber))
  }

  /** Forgets the tasks of the connector that do not run. */
  forgetEnded(connectorName: string): void {
    for (const [id, known] of this.#known) {
      if (!known.isRunning && known.connectorName === connectorName) this.#known.delete(id)
    }
  }

  all(): readonly TaskMeasurement[] {
    const nowMs = this.#clock.monotonicMs()
    return Array.from(this.#known.values(), ({ atMs, ...known }) => ({ ...known, ageMs: Math.max(0, nowMs - atMs) }))
  }

  /**
   * Asks tasks for their numbers, and waits until all have answered or ended, at most that long.
   *
   * @param asks by the id of the task
   */
  async refresh(asks: ReadonlyMap<string, () => void>, limitMs: number): Promise<void> {
    if (asks.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { missing: new Set(asks.keys()), done: resolve }
    this.#waiters.add(waiter)
    const timer = this.#clock.after(limitMs, resolve)
    for (const ask of asks.values()) ask()
    await promise
    timer.cancel()
    this.#waiters.delete(waiter)
  }

  #arrived(id: string): void {
    for (const { missing, done } of this.#waiters) {
      if (missing.delete(id) && missing.size === 0) done()
    }
  }
}
