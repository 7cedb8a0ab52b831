import type { ConfigMap } from '@tributary/connect-api'
import { assert, type Clock, type Logger, type LogLevels } from '@tributary/support'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import type { TaskReport } from '../task/task-messages.ts'
import { RunningTask } from './running-task.ts'
import { TaskThreads } from './task-threads.ts'

/** What a worker tells of its tasks. */
export interface TaskListener {
  onStarted(connector: string, task: number): void
  onTopic(connector: string, task: number, topic: string): void
  onFailed(connector: string, task: number, trace: string): void
}

export interface WorkerOptions {
  /** Entry file of a task's thread: it knows the plug-ins. */
  readonly taskThreadUrl: URL
  readonly workerProperties: ConfigMap
  readonly listener: TaskListener
  readonly clock: Clock
  readonly logger: Logger
  readonly logLevels: LogLevels
}

export interface TaskStart {
  readonly connectorName: string
  readonly taskNumber: number
  readonly config: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
}

/** Runs tasks: what the herder sees of them, and in its tests a double. */
export interface TaskRunner {
  /** There is no connector yet: the first task that is started must not wait for its thread. */
  expectFirst(): void
  /** A new connector is being checked: if nothing speaks against it, its first task is started next. */
  expectConnector(connectorName: string): void
  /** Starts a task that does not run. Its reports go to the listener. */
  startTask(start: TaskStart): void
  /** Ends tasks of a connector, all or those named, together within the limit. They report nothing after that. */
  stopTasks(connectorName: string, limitMs: number, taskNumbers?: readonly number[]): Promise<void>
  /** Tasks of the connector that run tell of the topics that they write to again. */
  forgetTopics(connectorName: string): void
  /** Ends all tasks, together within the limit. */
  stop(limitMs: number): Promise<void>
}

/** Runs each task in a thread of its own: one that is busy or broken does not disturb the others, nor the REST interface. */
export class Worker implements TaskRunner {
  readonly #options: WorkerOptions
  /** By connector, then by number. */
  readonly #tasks = new Map<string, Map<number, RunningTask>>()
  readonly #threads: TaskThreads

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#threads = new TaskThreads({ threadUrl: options.taskThreadUrl, clock: options.clock })
  }

  expectFirst(): void {
    this.#threads.prepareFirst()
  }

  expectConnector(connectorName: string): void {
    this.#threads.prepare(taskId(connectorName, 0))
  }

  startTask({ connectorName, taskNumber, config, storedOffsets }: TaskStart): void {
    const { workerProperties, clock, logger, logLevels } = this.#options
    const tasks = this.#tasks.get(connectorName) ?? new Map<number, RunningTask>()
    assert(!tasks.has(taskNumber), `task ${taskId(connectorName, taskNumber)} is started once at a time`)
    const id = taskId(connectorName, taskNumber)
    logger.info(`Starting task ${id}`)
    const task = new RunningTask({
      takeThread: () => this.#threads.take(id),
      data: { connectorName, taskNumber, taskConfig: config, workerProperties, storedOffsets },
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
        listener.onFailed(connectorName, taskNumber, report.trace)
        return
      case 'stopped':
    }
  }

  #forget(connectorName: string, taskNumber: number): void {
    const tasks = this.#tasks.get(connectorName)
    tasks?.delete(taskNumber)
    if (tasks?.size === 0) this.#tasks.delete(connectorName)
  }

  async stopTasks(connectorName: string, limitMs: number, taskNumbers?: readonly number[]): Promise<void> {
    const tasks = [...(this.#tasks.get(connectorName) ?? [])]
    const chosen = taskNumbers === undefined ? tasks : tasks.filter(([number]) => taskNumbers.includes(number))
    await Promise.all(chosen.map(([, task]) => task.stop(limitMs)))
  }

  forgetTopics(connectorName: string): void {
    for (const task of this.#tasks.get(connectorName)?.values() ?? []) task.forgetTopics()
  }

  async stop(limitMs: number): Promise<void> {
    const stops = [...this.#tasks.keys()].map((connectorName) => this.stopTasks(connectorName, limitMs))
    await Promise.all([...stops, this.#threads.discard()])
  }
}
