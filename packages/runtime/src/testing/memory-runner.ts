import { Notifications } from '../worker/notifications.ts'
import { StartCounts } from '../worker/start-counts.ts'
import type { TaskMeasurement } from '../worker/task-measurements.ts'
import type { TaskListener, TaskRunner, TaskStart } from '../worker/task-runner.ts'

/** A runner without threads: a test reports for its tasks. */
export class MemoryRunner implements TaskRunner {
  readonly startCounts: StartCounts = new StartCounts()
  readonly notifications: Notifications = new Notifications()
  /** Calls in order: `start c-0`, `stop c`. */
  readonly calls: string[] = []
  readonly starts: TaskStart[] = []
  /** Connectors for which a thread was spawned ahead; `first`: for the first task of any. */
  readonly spawned: string[] = []
  readonly running: Set<string> = new Set()
  readonly listener: TaskListener
  /** Error that the next start throws. */
  startError: Error | null = null
  /** Every stop waits for this promise. */
  stopping: Promise<void> = Promise.resolve()
  /** By connector: a promise that the stop of its tasks waits for in addition. */
  readonly stoppingOf: Map<string, Promise<void>> = new Map()

  constructor(listener: TaskListener) {
    this.listener = listener
  }

  /** Makes tasks report at once that they have started. */
  startsAtOnce = false

  spawnForFirstTask(): void {
    this.spawned.push('first')
  }

  spawnAhead(connectorName: string): void {
    this.spawned.push(connectorName)
  }

  startTask(start: TaskStart): void {
    const id = `${start.connectorName}-${start.taskNumber}`
    this.calls.push(`start ${id}`)
    const error = this.startError
    this.startError = null
    if (error !== null) throw error
    if (this.running.has(id)) throw new Error(`${id} runs already`)
    this.running.add(id)
    this.starts.push(start)
    if (this.startsAtOnce) this.listener.onStarted(start.connectorName, start.taskNumber)
  }

  async stopTasks(connectorName: string, _limitMs?: number, taskNumbers?: readonly number[]): Promise<void> {
    this.calls.push(`stop ${connectorName}`)
    await this.stopping
    await this.stoppingOf.get(connectorName)
    for (const id of this.running) {
      const dash = id.lastIndexOf('-')
      const isChosen = taskNumbers === undefined || taskNumbers.includes(Number(id.slice(dash + 1)))
      if (isChosen && id.slice(0, dash) === connectorName) this.running.delete(id)
    }
  }

  sendOffsets(connectorName: string, taskNumber: number): void {
    this.calls.push(`offsets ${connectorName}-${taskNumber}`)
  }

  forgetTopics(connectorName: string): void {
    this.calls.push(`forget topics ${connectorName}`)
  }

  commitOffsets(connectorName: string): void {
    this.calls.push(`commit offsets ${connectorName}`)
  }

  async ask(): Promise<null> {
    return null
  }

  isRunning(connectorName: string, taskNumber: number): boolean {
    return this.running.has(`${connectorName}-${taskNumber}`)
  }

  loads(): readonly [] {
    return []
  }

  measured(): readonly [] {
    return []
  }

  taskMetrics(): null {
    return null
  }

  async measure(): Promise<readonly TaskMeasurement[]> {
    return []
  }

  async stop(): Promise<void> {
    this.calls.push('stop all')
    await this.stopping
    this.running.clear()
  }
}
