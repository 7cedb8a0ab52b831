import type { ConfigMap } from '@tributary/connect-api'
import { assert, unreachable, type Clock, type Logger, type LogLevels, type MeterSnapshot } from '@tributary/support'
import type { Lease } from '../lease/lease.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import type { TaskAnswer, TaskQuestion, TaskReport } from '../task/thread-protocol.ts'
import { Notifications } from './notifications.ts'
import { RunningTask } from './running-task.ts'
import { StartCounts } from './start-counts.ts'
import { TaskLoads, type MeasuredLoad } from './task-loads.ts'
import { TaskMeasurements, type TaskMeasurement } from './task-measurements.ts'
import type { TaskHosts } from './task-threads.ts'
import type { TaskListener, TaskRunner, TaskStart } from './task-runner.ts'

export interface WorkerOptions {
  /** Runs the tasks. The worker discards it when it stops. */
  readonly threads: TaskHosts
  readonly workerProperties: ConfigMap
  readonly listener: TaskListener
  readonly lease: Lease
  readonly clock: Clock
  readonly logger: Logger
  readonly logLevels: LogLevels
}

/**
 * Runs tasks in threads, so that a busy or broken task does not disturb the REST interface. A few tasks have threads of
 * their own, many share them.
 */
export class Worker implements TaskRunner {
  readonly #options: WorkerOptions
  /** By connector, then by number. */
  readonly #tasks = new Map<string, Map<number, RunningTask>>()
  readonly #threads: TaskHosts
  readonly startCounts: StartCounts = new StartCounts()
  readonly notifications: Notifications = new Notifications()
  readonly #measurements: TaskMeasurements
  readonly #loads: TaskLoads
  /** Ids of the tasks that have not reported the result of their start. */
  readonly #starting = new Set<string>()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#threads = options.threads
    this.#measurements = new TaskMeasurements(options.clock)
    this.#loads = new TaskLoads(options.clock)
  }

  spawnForFirstTask(): void {
    this.#threads.spawnForAny()
  }

  spawnAhead(connectorName: string): void {
    this.#threads.spawnFor(taskId(connectorName, 0))
  }

  startTask(start: TaskStart): void {
    const { connectorName, taskNumber, config, storedOffsets, refusedBytes = {} } = start
    const { workerProperties, lease, clock, logger, logLevels } = this.#options
    const tasks = this.#tasks.get(connectorName) ?? new Map<number, RunningTask>()
    assert(!tasks.has(taskNumber), `task ${taskId(connectorName, taskNumber)} is started once at a time`)
    const id = taskId(connectorName, taskNumber)
    logger.info(`Starting task ${id}`)
    this.#measurements.forget(connectorName, taskNumber)
    this.#starting.add(id)
    const task = new RunningTask({
      takeThread: () => this.#threads.take(id),
      onSharedBreakage: () => this.#threads.keepAlone(id),
      data: {
        connectorName,
        taskNumber,
        taskConfig: config,
        workerProperties,
        storedOffsets,
        refusedBytes,
        lease: lease.memory,
      },
      onReport: (report) => this.#onReport(connectorName, taskNumber, report),
      clock,
      logger,
      logLevels,
    })
    this.#tasks.set(connectorName, tasks.set(taskNumber, task))
    void task.ended.then(() => this.#forget(connectorName, taskNumber))
  }

  #onReport(connectorName: string, taskNumber: number, report: TaskReport): void {
    const { listener } = this.#options
    const id = taskId(connectorName, taskNumber)
    switch (report.tag) {
      case 'started':
        if (this.#starting.delete(id)) this.startCounts.succeeded += 1
        listener.onStarted(connectorName, taskNumber)
        return
      case 'claimed':
        listener.onClaimed(connectorName, taskNumber)
        return
      case 'topic':
        listener.onTopic(connectorName, taskNumber, report.topic)
        return
      case 'failed':
        if (this.#starting.delete(id)) this.startCounts.failed += 1
        this.#measurements.freeze(connectorName, taskNumber)
        listener.onFailed(connectorName, taskNumber, report)
        return
      case 'waiting':
        listener.onWaiting(connectorName, taskNumber, report.outages)
        return
      case 'metrics':
        this.#measurements.put(connectorName, taskNumber, report.metrics)
        this.#loads.note(connectorName, taskNumber, report.metrics.counters['bytes.sent'] ?? 0)
        return
      case 'notification':
        this.notifications.send(connectorName, report.notification)
        return
      case 'leaves out at start':
      // Its RunningTask has passed it on.
      case 'answer':
        return
      case 'stopped':
        this.#threads.mayShare(id)
        return
      default:
        unreachable(report)
    }
  }

  #forget(connectorName: string, taskNumber: number): void {
    const tasks = this.#tasks.get(connectorName)
    tasks?.delete(taskNumber)
    this.#starting.delete(taskId(connectorName, taskNumber))
    this.#measurements.end(connectorName, taskNumber)
    this.#loads.forget(connectorName, taskNumber)
    if (tasks?.size === 0) this.#tasks.delete(connectorName)
  }

  async stopTasks(connectorName: string, limitMs: number, taskNumbers?: readonly number[]): Promise<void> {
    const tasks = [...(this.#tasks.get(connectorName) ?? [])]
    const chosen = taskNumbers === undefined ? tasks : tasks.filter(([number]) => taskNumbers.includes(number))
    await Promise.all(chosen.map(([, task]) => task.stop(limitMs)))
    if (taskNumbers === undefined) this.#measurements.forgetEnded(connectorName)
    for (const number of taskNumbers ?? []) this.#measurements.forget(connectorName, number)
  }

  taskMetrics(connectorName: string, taskNumber: number): MeterSnapshot | null {
    return this.#measurements.get(connectorName, taskNumber)
  }

  loads(): readonly MeasuredLoad[] {
    return this.#loads.all()
  }

  measured(): readonly TaskMeasurement[] {
    return this.#measurements.all()
  }

  async measure(limitMs: number): Promise<readonly TaskMeasurement[]> {
    const asks = new Map<string, () => void>()
    for (const [connectorName, tasks] of this.#tasks) {
      for (const [number, task] of tasks) asks.set(taskId(connectorName, number), () => task.measure())
    }
    await this.#measurements.refresh(asks, limitMs)
    return this.#measurements.all()
  }

  forgetTopics(connectorName: string): void {
    for (const task of this.#tasks.get(connectorName)?.values() ?? []) task.forgetTopics()
  }

  commitOffsets(connectorName: string): void {
    for (const task of this.#tasks.get(connectorName)?.values() ?? []) task.commitOffsets()
  }

  async ask(
    connectorName: string,
    taskNumber: number,
    question: TaskQuestion,
    limitMs: number,
  ): Promise<TaskAnswer | null> {
    const task = this.#tasks.get(connectorName)?.get(taskNumber)
    return task === undefined ? null : task.ask(question, limitMs)
  }

  isRunning(connectorName: string, taskNumber: number): boolean {
    return this.#tasks.get(connectorName)?.has(taskNumber) === true
  }

  sendOffsets(connectorName: string, taskNumber: number, storedOffsets: readonly StoredOffset[]): void {
    this.#tasks.get(connectorName)?.get(taskNumber)?.sendOffsets(storedOffsets)
  }

  async stop(limitMs: number): Promise<void> {
    const stops = [...this.#tasks.keys()].map((connectorName) => this.stopTasks(connectorName, limitMs))
    await Promise.all([...stops, this.#threads.discard()])
  }
}
