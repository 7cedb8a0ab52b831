import type { TaskNotification } from '@tributary/connect-api'

type Listener = (connector: string, notification: TaskNotification) => void

/** What happens to the snapshots of the tasks of a worker, for whoever listens. */
export class Notifications {
  readonly #listeners = new Set<Listener>()

  /** Returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  send(connector: string, notification: TaskNotification): void {
    for (const listener of this.#listeners) listener(connector, notification)
  }
}
