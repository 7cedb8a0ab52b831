import type { ConfigMap } from '@tributary/connect-api'
import { describeError, doneOr, withTimeout, type Clock, type Logger } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import { runtimeErrors } from '../errors.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import type { TaskCommand, TaskReport, TaskThreadData } from '../task/task-messages.ts'
import { formatTrace } from '../task/trace.ts'

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
}

export interface TaskStart {
  readonly connectorName: string
  readonly taskNumber: number
  readonly config: ConfigMap
  readonly storedOffsets: readonly StoredOffset[]
}

/** Runs tasks, each in a thread of its own: one that is busy or broken does not disturb the others, nor the REST interface. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #tasks = new Map<string, RunningTask>()

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  startTask({ connectorName, taskNumber, config, storedOffsets }: TaskStart): void {
    const { taskThreadUrl, workerProperties, logger } = this.#options
    const data: TaskThreadData = { connectorName, taskNumber, taskConfig: config, workerProperties, storedOffsets }
    const id = taskId(connectorName, taskNumber)
    logger.info(`Starting task ${id}`)
    const thread = new Thread(taskThreadUrl, { workerData: data, name: id, resourceLimits: RESOURCE_LIMITS })
    const task: RunningTask = { thread, hasEnded: false, ended: Promise.resolve() }
    this.#tasks.set(id, task)
    thread.on('message', (report: TaskReport) => this.#onReport(data, task, report))
    task.ended = new Promise((resolve) => {
      thread.on('error', (error) => {
        const reason = describeError(error)
        this.#fail(data, task, formatTrace(runtimeErrors.TASK_THREAD_ENDED({ task: id, reason }, error)))
      })
      thread.on('exit', (code) => {
        if (!task.hasEnded) {
          const reason = `exit code ${code}`
          this.#fail(data, task, formatTrace(runtimeErrors.TASK_THREAD_ENDED({ task: id, reason })))
        }
        if (this.#tasks.get(id) === task) this.#tasks.delete(id)
        resolve()
      })
    })
  }

  #onReport(data: TaskThreadData, task: RunningTask, report: TaskReport): void {
    const { listener } = this.#options
    const { connectorName, taskNumber } = data
    switch (report.tag) {
      case 'started':
        listener.onStarted(connectorName, taskNumber)
        return
      case 'topic':
        listener.onTopic(connectorName, taskNumber, report.topic)
        return
      case 'stopped':
        task.hasEnded = true
        return
      case 'failed':
        this.#fail(data, task, report.trace)
    }
  }

  #fail({ connectorName, taskNumber }: TaskThreadData, task: RunningTask, trace: string): void {
    if (task.hasEnded) return
    task.hasEnded = true
    this.#options.listener.onFailed(connectorName, taskNumber, trace)
  }

  /** Asks the task to end and waits for its thread; a thread that does not end in time is ended by force. */
  async stopTask(connectorName: string, taskNumber: number, limitMs: number): Promise<void> {
    const id = taskId(connectorName, taskNumber)
    const task = this.#tasks.get(id)
    if (task === undefined) return
    const { clock, logger } = this.#options
    task.thread.postMessage({ tag: 'stop' } satisfies TaskCommand)
    try {
      await withTimeout(clock, limitMs, (signal) => doneOr(task.ended, signal))
    } catch {
      logger.error(`Graceful stop of task ${id} failed: it did not end within ${limitMs} ms and was ended by force`)
      task.hasEnded = true
      await task.thread.terminate()
    }
  }

  /** Ends all tasks together within the limit. */
  async stop(limitMs: number): Promise<void> {
    const running = [...this.#tasks.keys()].map((id) => {
      const dash = id.lastIndexOf('-')
      return this.stopTask(id.slice(0, dash), Number(id.slice(dash + 1)), limitMs)
    })
    await Promise.all(running)
  }
}

interface RunningTask {
  readonly thread: Thread
  /** It has reported its end, or it was ended. */
  hasEnded: boolean
  ended: Promise<void>
}

/**
 * Records live for some milliseconds, between poll and batch: with room for them in the young generation they die there, and
 * the collector does not copy them twice. Measured with the drain benchmark: see bench/README.md.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64 } as const

function taskId(connectorName: string, taskNumber: number): string {
  return `${connectorName}-${taskNumber}`
}
