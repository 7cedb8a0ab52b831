import { closeSync, openSync } from 'node:fs'

/** Far below the usual limit of 1024 files per process, which the connections share. */
const OPEN_FILES_MAX = 200

/** Keeps the files that were used last open, for reading and appending. */
export class FileCache {
  /** Path → descriptor, least recently used first. */
  readonly #open = new Map<string, number>()

  /** The descriptor of the file, which is created if it does not exist. Valid until the next call. */
  descriptor(path: string): number {
    let descriptor = this.#open.get(path)
    if (descriptor === undefined) {
      descriptor = openSync(path, 'a+', 0o600)
      if (this.#open.size >= OPEN_FILES_MAX) this.#closeOldest()
    } else this.#open.delete(path)
    this.#open.set(path, descriptor)
    return descriptor
  }

  close(path: string): void {
    const descriptor = this.#open.get(path)
    if (descriptor === undefined) return
    this.#open.delete(path)
    closeSync(descriptor)
  }

  closeAll(): void {
    for (const path of this.#open.keys()) this.close(path)
  }

  #closeOldest(): void {
    const [oldest] = this.#open.keys()
    if (oldest !== undefined) this.close(oldest)
  }
}
