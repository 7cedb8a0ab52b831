import { hostTask, IdleMemory, type MainPort, type PlaceOptions, type Plugins } from '@tributary/runtime'
import type { TaskHost, TaskHosts, TaskPlace, TaskPort } from '@tributary/runtime'
import { LogLevels, type Logger } from '@tributary/support'
import { DomainClock } from './domain-clock.ts'
import type { Network } from './network.ts'
import { Domain, type Scheduler } from './scheduler.ts'

export interface ThreadsOptions {
  readonly scheduler: Scheduler
  readonly network: Network
  /** The process. */
  readonly domain: Domain
  readonly plugins: () => Plugins
  readonly logger: Logger
}

/** From one thread of a process to another. */
const MESSAGE_MS = 0.05

interface SimulatedThread {
  readonly id: string
  readonly domain: Domain
  readonly breakDown: (reason: string) => void
}

/** Threads of a process, one for each task, as domains of their own. */
export class SimulatedThreads implements TaskHosts {
  readonly #options: ThreadsOptions
  readonly #threads = new Set<SimulatedThread>()

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  spawnForAny(): void {
    // A simulated thread loads no code.
  }

  spawnFor(): void {
    // The same.
  }

  mayShare(): void {
    // Each task has a thread of its own.
  }

  keepAlone(): void {
    // The same.
  }

  discard(): Promise<void> {
    return Promise.resolve()
  }

  take(): TaskHost {
    return { host: (options) => this.#host(options) }
  }

  /** Domains of threads that run a task. */
  get domains(): readonly Domain[] {
    return [...this.#threads].map(({ domain }) => domain)
  }

  /** As an error that nothing catches. */
  crash(index: number): void {
    const threads = [...this.#threads]
    threads[index % Math.max(1, threads.length)]?.breakDown('a simulated crash')
  }

  #host({ id, mask, onBroken }: PlaceOptions): TaskPlace {
    const { scheduler, network, domain: process, plugins, logger } = this.#options
    const domain = new Domain(scheduler, `${process.name}/${id}`, process)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let isEndExpected = false
    const finish = (): void => {
      domain.kill()
      this.#threads.delete(thread)
      scheduler.after(MESSAGE_MS, process, end)
    }
    const breakDown = (reason: string): void => {
      if (domain.isDead) return
      const isExpected = isEndExpected
      finish()
      const breakage = { reason, cause: undefined, culprit: null, tasks: 1, masks: [mask] }
      if (!isExpected) scheduler.after(MESSAGE_MS, process, () => onBroken(breakage))
    }
    const thread: SimulatedThread = { id, domain, breakDown }
    this.#threads.add(thread)
    // The end of the channel ends the thread, which has no other task.
    const [main, task] = this.#channel(domain, () => scheduler.after(MESSAGE_MS, process, finish))
    const clock = new DomainClock(scheduler, domain)
    const memory = new IdleMemory({ heap: NO_HEAP, clock, logger })
    const parts = {
      plugins: plugins(),
      logger,
      levels: new LogLevels('OFF'),
      memory,
      clock,
      openSocket: network.openSocket(domain),
    }
    scheduler.in(domain, () => void hostTask(task, parts))
    return {
      port: main,
      ended,
      isShared: () => false,
      expectEnd: () => {
        isEndExpected = true
      },
      terminate: (reason) => {
        breakDown(reason)
        return ended
      },
    }
  }

  #channel(thread: Domain, onClosed: () => void): readonly [MainPort, TaskPort] {
    const { scheduler, domain: process } = this.#options
    const toMain: ((report: never) => void)[] = []
    const toTask: ((command: never) => void)[] = []
    let isClosed = false
    // As MessagePort: what is sent before the first listener waits for it.
    const waiting: (() => void)[] = []
    const deliver = (domain: Domain, listeners: ((message: never) => void)[], message: unknown): void => {
      scheduler.after(MESSAGE_MS, domain, () => {
        const emit = (): void => {
          for (const listener of listeners) (listener as (message: unknown) => void)(message)
        }
        if (listeners.length === 0) waiting.push(emit)
        else emit()
      })
    }
    const main: MainPort = {
      on: (_event, listener) => toMain.push(listener),
      postMessage: (command) => {
        if (!isClosed) deliver(thread, toTask, command)
      },
    }
    const task: TaskPort = {
      on: (_event, listener) => {
        toTask.push(listener)
        for (const emit of waiting.splice(0)) emit()
      },
      postMessage: (report) => deliver(process, toMain, report),
      close: () => {
        if (isClosed) return
        isClosed = true
        onClosed()
      },
    }
    return [main, task]
  }
}

/** The heap of the process that runs the simulation is not collected for it. */
const NO_HEAP = { youngBytes: () => 0, usedBytes: () => 0, release: () => Promise.resolve() }
