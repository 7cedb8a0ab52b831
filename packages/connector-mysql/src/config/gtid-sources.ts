import type { RegexList } from '@tributary/connector-kit'

/** The servers whose changes become events: `gtid.source.includes`, `gtid.source.excludes`. */
export class GtidSources {
  readonly #includes: RegexList
  readonly #excludes: RegexList
  /** A server has few sources, and each transaction asks. */
  readonly #known = new Map<string, boolean>()

  constructor(includes: RegexList, excludes: RegexList) {
    this.#includes = includes
    this.#excludes = excludes
  }

  /** @param source the UUID of a GTID; on MariaDB `domain-server` */
  includes(source: string): boolean {
    let isIncluded = this.#known.get(source)
    if (isIncluded === undefined) {
      isIncluded = this.#includes.isEmpty ? !this.#excludes.matches(source) : this.#includes.matches(source)
      if (this.#known.size >= KNOWN_MAX) this.#known.clear()
      this.#known.set(source, isIncluded)
    }
    return isIncluded
  }
}

/** More servers than any topology has. */
const KNOWN_MAX = 1_000
