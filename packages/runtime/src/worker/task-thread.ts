import { describeError } from '@tributary/support'
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker as Thread } from 'node:worker_threads'
import type { SecretMask } from '../config/providers/secret-mask.ts'
import type { MainPort, ThreadAnswer, ThreadCommand } from '../task/thread-protocol.ts'

/** Why a thread has ended although tasks were running in it. */
export interface Breakage {
  readonly reason: string
  readonly cause: unknown
  /** The id of the task that is known to be the cause; null: any of them may be. */
  readonly culprit: string | null
  /** How many tasks it ran. */
  readonly tasks: number
  /** Of all tasks that the thread has run: its error may contain a secret of any of them. */
  readonly masks: readonly SecretMask[]
}

/** A task's part of a thread. */
export interface TaskPlace {
  readonly port: MainPort
  /** Resolves when nothing of the task runs any more. For the last task of a thread, the thread has ended, too. */
  readonly ended: Promise<void>
  /** Whether other tasks run in the thread. */
  readonly isShared: () => boolean
  /** Called when the task has reported its end: what follows is no breakage. */
  readonly expectEnd: () => void
  /** Ends the thread, and with it the tasks that share it. Resolves when it has ended. */
  readonly terminate: (reason: string) => Promise<void>
}

export interface PlaceOptions {
  /** The id of the task. */
  readonly id: string
  readonly mask: SecretMask
  /** Called when the thread ends before the task has reported its end. */
  readonly onBroken: (breakage: Breakage) => void
}

interface Place {
  readonly port: MessagePort
  readonly onBroken: (breakage: Breakage) => void
  isEndExpected: boolean
}

/** What runs tasks. */
export interface TaskHost {
  /** Adds a task. It waits for its `start`. */
  host(options: PlaceOptions): TaskPlace
}

/**
 * A thread and the tasks that it runs. Each task has a channel of its own to the main thread. The thread ends when its
 * last task has ended.
 */
export class TaskThread implements TaskHost {
  readonly #thread: Thread
  readonly #places = new Map<string, Place>()
  readonly #masks = new Map<string, SecretMask>()
  readonly #exited: Promise<void>
  readonly #onEmpty: () => void
  #isBroken = false
  /** Pings since the last answer. */
  #unanswered = 0

  /** `onEmpty`: called when the thread takes no more tasks. */
  constructor(thread: Thread, onEmpty: () => void) {
    this.#thread = thread
    this.#onEmpty = onEmpty
    thread.on('message', ({ tag }: ThreadAnswer) => {
      if (tag === 'pong') this.#unanswered = 0
    })
    thread.on('error', (error) => this.#break(describeError(error), { cause: error }))
    this.#exited = new Promise((resolve) => {
      thread.once('exit', (code) => {
        this.#break(`exit code ${code}`)
        resolve()
      })
    })
  }

  /** Of the tasks that run in it. */
  get count(): number {
    return this.#places.size
  }

  /**
   * Asks the thread for an answer. Returns how many times in a row it has not answered, without this time: counted
   * instead of timed, because the whole process may have been suspended.
   */
  ping(): number {
    const missed = this.#unanswered
    this.#unanswered += 1
    const command: ThreadCommand = { tag: 'ping' }
    this.#thread.postMessage(command)
    return missed
  }

  /** Ends the thread. Its tasks fail for this reason. */
  async terminate(reason: string, culprit: string | null = null): Promise<void> {
    this.#break(reason, { culprit })
    await this.#thread.terminate()
    await this.#exited
  }

  host({ id, mask, onBroken }: PlaceOptions): TaskPlace {
    const { port1: port, port2 } = new MessageChannel()
    const command: ThreadCommand = { tag: 'host', port: port2 }
    this.#thread.postMessage(command, [port2])
    const place: Place = { port, onBroken, isEndExpected: false }
    this.#places.set(id, place)
    this.#masks.set(id, mask)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    port.once('close', () => {
      // The end of the thread closes the channel, too; then its reason follows.
      if (!place.isEndExpected) return
      this.#leave(id)
      if (this.count > 0) end()
    })
    void this.#exited.then(end)
    return {
      port,
      ended,
      isShared: () => this.count > 1,
      expectEnd: () => {
        place.isEndExpected = true
      },
      terminate: (reason) => this.terminate(reason, id),
    }
  }

  #leave(id: string): void {
    if (!this.#places.delete(id) || this.#places.size > 0) return
    this.#onEmpty()
    const command: ThreadCommand = { tag: 'end' }
    this.#thread.postMessage(command)
  }

  #break(
    reason: string,
    { cause, culprit = null }: { readonly cause?: unknown; readonly culprit?: string | null } = {},
  ): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#onEmpty()
    for (const { port } of this.#places.values()) deliver(port)
    const running = [...this.#places.values()].filter(({ isEndExpected }) => !isEndExpected)
    const masks = [...this.#masks.values()]
    const breakage: Breakage = { reason, cause, culprit, tasks: this.#places.size, masks }
    for (const { onBroken } of running) onBroken(breakage)
  }
}

/** Hands over what a task has sent before its thread ended. The end of a thread may overtake the messages of its ports. */
function deliver(port: MessagePort): void {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    port.emit('message', (next as { readonly message: unknown }).message)
  }
}
