import type { TaskListener, TaskRunner, TaskStart } from '../worker/worker.ts'

/** Tasks that run only on paper: a test reports for them. */
export class MemoryRunner implements TaskRunner {
  /** What was asked, in order: `start c-0`, `stop c`. */
  readonly calls: string[] = []
  readonly starts: TaskStart[] = []
  readonly running: Set<string> = new Set()
  readonly listener: TaskListener
  /** Thrown by the next start. */
  startError: Error | null = null
  /** What ending the tasks of a connector waits for. */
  stopping: Promise<void> = Promise.resolve()

  constructor(listener: TaskListener) {
    this.listener = listener
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
  }

  async stopTasks(connectorName: string): Promise<void> {
    this.calls.push(`stop ${connectorName}`)
    await this.stopping
    for (const id of this.running) if (id.slice(0, id.lastIndexOf('-')) === connectorName) this.running.delete(id)
  }

  async stop(): Promise<void> {
    this.calls.push('stop all')
    await this.stopping
    this.running.clear()
  }
}
