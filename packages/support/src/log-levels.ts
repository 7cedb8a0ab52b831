/** The levels of log4j, by which operators ask for them, from all lines to none. */
const RANKS = { ALL: 0, TRACE: 10, DEBUG: 20, INFO: 30, WARN: 40, ERROR: 50, FATAL: 60, OFF: 70 } as const

export type LogLevelName = keyof typeof RANKS

/** The level of that name, in any case; null when there is none. */
export function parseLogLevel(text: string): LogLevelName | null {
  const name = text.toUpperCase()
  return isLevel(name) ? name : null
}

function isLevel(name: string): name is LogLevelName {
  return Object.hasOwn(RANKS, name)
}

export interface LoggerState {
  /** Its own, or that of the nearest name above it. */
  readonly level: LogLevelName
  /** When it was set while running, in ms since 1970; null: never. */
  readonly lastModifiedMs: number | null
}

/** The name above all. */
export const ROOT_LOGGER = 'root'

/**
 * From which level on lines are written, by the names of loggers: `a.b` without a level of its own has that of `a`, and all have that
 * of `root`. Loggers that were made before a change follow it.
 *
 *     const levels = new LogLevels('INFO')
 *     levels.set('org.apache.kafka.clients', 'DEBUG', clock.now())
 */
export class LogLevels {
  readonly #own = new Map<string, LoggerState>()
  readonly #known = new Set<string>([ROOT_LOGGER])
  readonly #listeners = new Set<() => void>()
  #version = 0

  constructor(root: LogLevelName) {
    this.#own.set(ROOT_LOGGER, { level: root, lastModifiedMs: null })
  }

  /** Another one after each change: what was derived from the levels is then stale. */
  get version(): number {
    return this.#version
  }

  /** Names that are listed although nobody has set them. */
  know(names: readonly string[]): void {
    for (const name of names) this.#known.add(name)
  }

  /** Calls back after each change, until the returned function is called. */
  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  /** Is a line of that level written by that logger? */
  isWritten(name: string, level: LogLevelName): boolean {
    return RANKS[level] >= RANKS[this.#levelOf(name)]
  }

  /** Null: nobody has that name. */
  find(name: string): LoggerState | null {
    if (!this.#known.has(name)) return null
    return { level: this.#levelOf(name), lastModifiedMs: this.#own.get(name)?.lastModifiedMs ?? null }
  }

  /** All names, sorted. */
  names(): readonly string[] {
    return [...this.#known].toSorted()
  }

  /** Sets the level of a name and of all below it. Gives the names, sorted, for which that is a change. */
  set(name: string, level: LogLevelName, nowMs: number): readonly string[] {
    this.#known.add(name)
    const isBelow = (each: string): boolean => name === ROOT_LOGGER || each === name || each.startsWith(`${name}.`)
    const changed = this.names().filter((each) => isBelow(each) && this.#levelOf(each) !== level)
    for (const each of changed) this.#own.set(each, { level, lastModifiedMs: nowMs })
    if (changed.length > 0) this.#changed()
    return changed
  }

  /** Plain data, for another thread. */
  snapshot(): LogLevelsSnapshot {
    return Object.fromEntries([...this.#own].map(([name, { level }]) => [name, level]))
  }

  /** Takes the levels of another thread for its own. */
  restore(snapshot: LogLevelsSnapshot): void {
    for (const [name, level] of Object.entries(snapshot)) this.#own.set(name, { level, lastModifiedMs: null })
    this.#changed()
  }

  #changed(): void {
    this.#version += 1
    for (const onChange of this.#listeners) onChange()
  }

  #levelOf(name: string): LogLevelName {
    for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1)) {
      const own = this.#own.get(name.slice(0, end))
      if (own !== undefined) return own.level
    }
    return this.#own.get(ROOT_LOGGER)?.level ?? 'INFO'
  }
}

/** Levels by the names that have one of their own. */
export type LogLevelsSnapshot = Readonly<Record<string, LogLevelName>>
