import type { PollResult, SourceTask, SourceTaskContext } from '@tributary/connect-api'
import { SourceCoordinator } from '@tributary/connector-kit'
import type { ConnectorKind } from './connector-kind.ts'
import { TaskParts } from './task-parts.ts'

/** The task as the runtime sees it: snapshot, then stream. What it is made of is put together in `TaskParts`. */
export class BinlogTask implements SourceTask {
  readonly #kind: ConnectorKind
  #parts: TaskParts | null = null
  #coordinator: SourceCoordinator | null = null

  constructor(kind: ConnectorKind) {
    this.#kind = kind
  }

  async start(context: SourceTaskContext): Promise<void> {
    this.#parts = await TaskParts.open(this.#kind, context)
    this.#coordinator = new SourceCoordinator(await this.#parts.phases())
  }

  poll(signal: AbortSignal): Promise<PollResult> {
    if (this.#coordinator === null) return Promise.reject(new Error('the task is not started'))
    return this.#coordinator.poll(signal)
  }

  async stop(): Promise<void> {
    await this.#coordinator?.close()
    await this.#parts?.close()
  }
}
