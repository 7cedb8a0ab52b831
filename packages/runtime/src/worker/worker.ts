import type { ConfigMap } from '@tributary/connect-api'
import { assert, unreachable, type Clock, type Logger, type LogLevels, type MeterSnapshot } from '@tributary/support'
import type { Lease } from '../lease/lease.ts'
import { taskId } from '../storage/task-id.ts'
import type { TaskReport } from '../task/thread-protocol.ts'
import { RunningTask } from './running-task.ts'
import type { SpareThreads } from './spare-threads.ts'
import type { TaskListener, TaskRunner, TaskStart } from './task-runner.ts'

export interface WorkerOptions {
  /** Creates the threads of tasks. The worker discards the spare one when it stops. */
  readonly threads: SpareThreads
  readonly workerProperties: ConfigMap
  readonly listener: TaskListener
  readonly lease: Lease
  readonly clock: Clock
  readonly logger: Logger
  readonly logLevels: LogLevels
}

/**
 * Runs each task in a thread of its own, so that a busy or broken task disturbs neither the others nor the REST
 * interface.
 */
export class Worker implements TaskRunner {
  readonly #options: WorkerOptions
  /** By connector, then by number. */
  readonly #tasks = new Map<string, Map<number, RunningTask>>()
  readonly #threads: SpareThreads
  /** The last numbers of each running task, by its id. */
  readonly #metrics = new Map<string, MeterSnapshot>()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#threads = options.threads
  }

  spawnForFirstTask(): void {
    this.#threads.spawnForAny()
  }

  spawnAhead(connectorName: string): void {
    this.#threads.spawnFor(taskId(connectorName, 0))
  }

  startTask({ connectorName, taskNumber, config, storedOffsets }: TaskStart): void {
    const { workerProperties, lease, clock, logger, logLevels } = this.#options
    const tasks = this.#tasks.get(connectorName) ?? new Map<number, RunningTask>()
    assert(!tasks.has(taskNumber), `task ${taskId(connectorName, taskNumber)} is started once at a time`)
    const id = taskId(connectorName, taskNumber)
    logger.info(`Starting task ${id}`)
    const task = new RunningTask({
      takeThread: () => this.#threads.take(id),
      data: { connectorName, taskNumber, taskConfig: config, workerProperties, storedOffsets, lease: lease.memory },
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
    switch (report.tag) {
      case 'started':
        listener.onStarted(connectorName, taskNumber)
        return
      case 'topic':
        listener.onTopic(connectorName, taskNumber, report.topic)
        return
      case 'failed':
        listener.onFailed(connectorName, taskNumber, { trace: report.trace, isRetriable: report.isRetriable })
        return
      case 'metrics':
        this.#metrics.set(taskId(connectorName, taskNumber), report.metrics)
        return
      case 'stopped':
        return
      default:
        unreachable(report)
    }
  }

  #forget(connectorName: string, taskNumber: number): void {
    const tasks = this.#tasks.get(connectorName)
    tasks?.delete(taskNumber)
    this.#metrics.delete(taskId(connectorName, taskNumber))
    if (tasks?.size === 0) this.#tasks.delete(connectorName)
  }

  async stopTasks(connectorName: string, limitMs: number, taskNumbers?: readonly number[]): Promise<void> {
    const tasks = [...(this.#tasks.get(connectorName) ?? [])]
    const chosen = taskNumbers === undefined ? tasks : tasks.filter(([number]) => taskNumbers.includes(number))
    await Promise.all(chosen.map(([, task]) => task.stop(limitMs)))
  }

  taskMetrics(connectorName: string, taskNumber: number): MeterSnapshot | null {
    return this.#metrics.get(taskId(connectorName, taskNumber)) ?? null
  }

  forgetTopics(connectorName: string): void {
    for (const task of this.#tasks.get(connectorName)?.values() ?? []) task.forgetTopics()
  }

  async stop(limitMs: number): Promise<void> {
    const stops = [...this.#tasks.keys()].map((connectorName) => this.stopTasks(connectorName, limitMs))
    await Promise.all([...stops, this.#threads.discard()])
  }
}
