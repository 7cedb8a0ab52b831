/** The levels of log4j, whose names operators use, from all lines to no line. */
const RANKS = { ALL: 0, TRACE: 10, DEBUG: 20, INFO: 30, WARN: 40, ERROR: 50, FATAL: 60, OFF: 70 } as const

export type LogLevelName = keyof typeof RANKS

/** The level of that name, in upper or lower case; null for another name. */
export function parseLogLevel(text: string): LogLevelName | null {
  const name = text.toUpperCase()
  return isLevel(name) ? name : null
}

function isLevel(name: string): name is LogLevelName {
  return Object.hasOwn(RANKS, name)
}

export interface LoggerState {
  /** Its own level, or that of the nearest ancestor that has one. */
  readonly level: LogLevelName
  /** When the level was changed at runtime, in ms since 1970; null when it was not. */
  readonly lastModifiedMs: number | null
}

/** The ancestor of all names. */
export const ROOT_LOGGER = 'root'

/**
 * The levels of loggers by their names: `a.b` without a level of its own inherits that of `a`, and finally that of
 * `root`. A change applies to existing loggers as well.
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

  /** Changes with each change of a level, so that callers can cache levels. */
  get version(): number {
    return this.#version
  }

  /** Adds names to the list of known ones. */
  know(names: readonly string[]): void {
    for (const name of names) this.#known.add(name)
  }

  /** Calls `onChange` after each change, until the returned function is called. */
  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  /** Whether that logger writes lines of that level. */
  isWritten(name: string, level: LogLevelName): boolean {
    return RANKS[level] >= RANKS[this.#levelOf(name)]
  }

  /** Null when the name is unknown. */
  find(name: string): LoggerState | null {
    if (!this.#known.has(name)) return null
    return { level: this.#levelOf(name), lastModifiedMs: this.#own.get(name)?.lastModifiedMs ?? null }
  }

  /** All known names, sorted. */
  names(): readonly string[] {
    return [...this.#known].toSorted()
  }

  /** Sets the level of a name and of its descendants. Returns the names, sorted, whose level has changed. */
  set(name: string, level: LogLevelName, nowMs: number): readonly string[] {
    this.#known.add(name)
    const isAffected = (each: string): boolean => name === ROOT_LOGGER || each === name || each.startsWith(`${name}.`)
    const changed = this.names().filter((each) => isAffected(each) && this.#levelOf(each) !== level)
    for (const each of changed) this.#own.set(each, { level, lastModifiedMs: nowMs })
    if (changed.length > 0) this.#changed()
    return changed
  }

  /** The levels as plain data, for another thread. */
  snapshot(): LogLevelsSnapshot {
    return Object.fromEntries([...this.#own].map(([name, { level }]) => [name, level]))
  }

  /** Takes over the levels of another thread. */
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

/** The levels of names that have one of their own. */
export type LogLevelsSnapshot = Readonly<Record<string, LogLevelName>>
