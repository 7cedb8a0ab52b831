import { Session } from 'node:inspector/promises'

/** Counts the blocks of the package's code that have run, by V8's own coverage. */
export class CodeCoverage implements Disposable {
  readonly #session = new Session()
  readonly #seen = new Set<string>()

  static async start(): Promise<CodeCoverage> {
    const coverage = new CodeCoverage()
    coverage.#session.connect()
    await coverage.#session.post('Profiler.enable')
    // Without counts, V8 reports only what has changed, and the code stays fast.
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true })
    return coverage
  }

  /** How many blocks have run since the last call that had not run before. */
  async newBlocks(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    const before = this.#seen.size
    for (const { url, functions } of result) {
      if (!OWN_CODE.test(url)) continue
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          if (count > 0) this.#seen.add(`${url}:${startOffset}-${endOffset}`)
        }
      }
    }
    return this.#seen.size - before
  }

  get blocks(): number {
    return this.#seen.size
  }

  [Symbol.dispose](): void {
    this.#session.disconnect()
  }
}

const OWN_CODE = /\/packages\/(mysql|support)\/src\/(?!testing\/)/
