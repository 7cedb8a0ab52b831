import { AsyncLocalStorage } from 'node:async_hooks'
import { collectSignals } from './collected-signals.ts'

/** Something that happens at a time of the simulation. */
interface ScheduledEvent {
  atMicros: number
  order: number
  readonly domain: Domain | null
  readonly run: () => void
  isCancelled: boolean
}

/**
 * What dies and freezes as a whole: a process, or a thread of one. The events of a dead domain never happen; those of a
 * frozen one wait. So whatever its code awaits never resolves, or resolves late.
 */
export class Domain {
  readonly name: string
  readonly #scheduler: Scheduler
  readonly #parent: Domain | null
  readonly #children = new Set<Domain>()
  readonly #onDeath: (() => void)[] = []
  #isDead = false
  #frozen = 0
  #held: ScheduledEvent[] = []
  /** The wall clock of the machine minus the time of the simulation, in milliseconds. */
  wallOffsetMs = 0

  /** How fast its clocks run. */
  #clockRate = 1
  /** A time of the simulation, and what the monotonic clock showed then, in milliseconds. */
  #clockAt = { simulatedMs: 0, monotonicMs: 0 }

  constructor(scheduler: Scheduler, name: string, parent: Domain | null = null) {
    this.#scheduler = scheduler
    this.name = name
    this.#parent = parent
    if (parent !== null) parent.#children.add(this)
  }

  get isDead(): boolean {
    return this.#isDead || this.#parent?.isDead === true
  }

  get isFrozen(): boolean {
    return this.#frozen > 0 || this.#parent?.isFrozen === true
  }

  /** The process of a thread, or the domain itself. */
  get process(): Domain {
    return this.#parent?.process ?? this
  }

  get clockRate(): number {
    return this.#clockRate
  }

  set clockRate(rate: number) {
    this.#clockAt = { simulatedMs: this.#scheduler.nowMs, monotonicMs: this.monotonicMs }
    this.#clockRate = rate
  }

  /** What its monotonic clock shows, in milliseconds. */
  get monotonicMs(): number {
    const { simulatedMs, monotonicMs } = this.#clockAt
    return monotonicMs + (this.#scheduler.nowMs - simulatedMs) * this.#clockRate
  }

  /** Called once, when the domain dies. */
  onDeath(run: () => void): void {
    this.#onDeath.push(run)
  }

  kill(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#held = []
    if (this.#parent !== null) this.#parent.#children.delete(this)
    for (const child of this.#children) child.kill()
    for (const run of this.#onDeath.splice(0)) run()
  }

  /** As SIGSTOP. Calls are counted. */
  freeze(): void {
    this.#frozen += 1
  }

  thaw(): void {
    this.#frozen -= 1
    this.#release()
  }

  #release(): void {
    if (this.isFrozen) return
    const held = this.#held
    this.#held = []
    for (const event of held) this.#scheduler.again(event)
    for (const child of this.#children) child.#release()
  }

  hold(event: ScheduledEvent): void {
    this.#held.push(event)
  }
}

export interface Cancellable {
  cancel(): void
}

/** Runs code in the context of a domain. */
type Entry = <T>(run: () => T) => T

/** Node's own; the scheduler replaces the global one while it runs. */
const realSetImmediate = setImmediate
const realRandom = Math.random

/**
 * Runs one event after the other, in the order of their times and, for the same time, of their creation. After each
 * event everything runs that waits for nothing but promises: one turn of Node's event loop. Nothing else runs, and no
 * real time passes, so the same events lead to the same simulation.
 */
export class Scheduler {
  readonly #queue: ScheduledEvent[] = []
  readonly #domains = new AsyncLocalStorage<Domain>()
  readonly #entries = new WeakMap<Domain, Entry>()
  #nowMicros = 0
  #order = 0
  #steps = 0
  #isStopped = false

  get nowMs(): number {
    return this.#nowMicros / 1_000
  }

  /** Events so far. */
  get steps(): number {
    return this.#steps
  }

  /** The domain whose code runs. */
  get current(): Domain | null {
    return this.#domains.getStore() ?? null
  }

  in<T>(domain: Domain, run: () => T): T {
    return this.#entryOf(domain)(run)
  }

  /** Creating a context takes longer than most events, so each domain keeps one. */
  #entryOf(domain: Domain): Entry {
    let entry = this.#entries.get(domain)
    if (entry === undefined) {
      entry = this.#domains.run(domain, () => AsyncLocalStorage.snapshot())
      this.#entries.set(domain, entry)
    }
    return entry
  }

  at(ms: number, domain: Domain | null, run: () => void): Cancellable {
    const atMicros = Math.max(this.#nowMicros, Math.round(ms * 1_000))
    const event = { atMicros, order: this.#order++, domain, run, isCancelled: false }
    this.#push(event)
    return { cancel: () => (event.isCancelled = true) }
  }

  after(ms: number, domain: Domain | null, run: () => void): Cancellable {
    return this.at(this.nowMs + ms, domain, run)
  }

  /** An event that was held back happens now. */
  again(event: ScheduledEvent): void {
    event.atMicros = Math.max(event.atMicros, this.#nowMicros)
    event.order = this.#order++
    this.#push(event)
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Runs until nothing is left, the time is reached, or `afterStep` returns false. */
  async run(untilMs: number, afterStep: () => boolean): Promise<void> {
    const restore = this.#replaceGlobals()
    try {
      for (;;) {
        const event = this.#pop()
        if (event === undefined || event.atMicros > untilMs * 1_000) break
        const { domain } = event
        if (event.isCancelled || domain?.isDead === true) continue
        if (domain?.isFrozen === true) {
          domain.hold(event)
          continue
        }
        this.#nowMicros = Math.max(this.#nowMicros, event.atMicros)
        this.#steps += 1
        if (domain === null) event.run()
        else this.#entryOf(domain)(event.run)
        await new Promise<void>((resolve) => realSetImmediate(resolve))
        if (this.#isStopped || !afterStep()) break
      }
    } finally {
      restore()
    }
  }

  /** `setImmediate` becomes an event of the domain that calls it, and `Math.random` repeats itself. */
  #replaceGlobals(): () => void {
    const immediate = (run: (...args: readonly unknown[]) => void, ...args: readonly unknown[]): unknown => {
      const domain = this.current
      if (domain === null) return realSetImmediate(run, ...args)
      return this.at(this.nowMs, domain, () => run(...args))
    }
    let state = 1
    const releaseSignals = collectSignals()
    globalThis.setImmediate = immediate as typeof setImmediate
    Math.random = () => {
      state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647
      return state / 2_147_483_647
    }
    return () => {
      releaseSignals()
      globalThis.setImmediate = realSetImmediate
      Math.random = realRandom
    }
  }

  /** A binary heap. */
  #push(event: ScheduledEvent): void {
    const queue = this.#queue
    let at = queue.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = queue[parent] as ScheduledEvent
      if (!isBefore(event, above)) break
      queue[at] = above
      at = parent
    }
    queue[at] = event
  }

  #pop(): ScheduledEvent | undefined {
    const queue = this.#queue
    const [first] = queue
    const last = queue.pop()
    if (last === undefined || last === first) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= queue.length) break
      const right = child + 1
      if (right < queue.length && isBefore(queue[right] as ScheduledEvent, queue[child] as ScheduledEvent))
        child = right
      const below = queue[child] as ScheduledEvent
      if (!isBefore(below, last)) break
      queue[at] = below
      at = child
    }
    queue[at] = last
    return first
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.atMicros < other.atMicros || (one.atMicros === other.atMicros && one.order < other.order)
}
