/** A binlog file of the server. */
export interface ListedFile {
  readonly name: string
  readonly bytes: number
}

/** How fast a server writes its binlog, in bytes per second. */
export interface Growth {
  /** Over all samples. */
  readonly mean: number
  /** The highest between two samples. */
  readonly peak: number
}

interface Sample {
  readonly atMs: number
  /** Written since the first sample. */
  readonly totalBytes: number
}

/** An hour, with a sample each minute. */
const SAMPLES_MAX = 61
/** Over a shorter time, a single write looks like a high rate. */
const SPAN_MS_MIN = 1000

/** Files that are remembered of a list, which has tens of thousands on some servers: enough to know it again. */
const FILES_MAX = 16

/**
 * Measures the growth of a binlog from its list of files. Its memory does not depend on the server: 61 samples and the
 * names of 16 files, at most 12 kB with the longest names.
 */
export class BinlogGrowth {
  readonly #samples: Sample[] = []
  /** The newest of the last list. */
  #files: readonly ListedFile[] = []

  /**
   * Adds a list, oldest file first. Returns false when it does not continue the last one: the binlog was reset, or is
   * that of another server, or all files of the last list are purged. What happened to older files than the newest sixteen is not noticed.
   */
  add(atMs: number, files: readonly ListedFile[]): boolean {
    const before = this.#files.at(-1)
    const written = before === undefined ? 0 : writtenAfter(before, files)
    const isContinued = written !== null && this.#isSame(files)
    if (!isContinued) this.#samples.length = 0
    const totalBytes = isContinued ? (this.#samples.at(-1)?.totalBytes ?? 0) + written : 0
    this.#files = files.slice(-FILES_MAX)
    this.#samples.push({ atMs, totalBytes })
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift()
    return isContinued
  }

  /** A closed file never changes, and the oldest file never becomes an older one. */
  #isSame(files: readonly ListedFile[]): boolean {
    const closed = new Map(this.#files.slice(0, -1).map(({ name, bytes }) => [name, bytes]))
    return files.every(({ name, bytes }) => (closed.get(name) ?? bytes) === bytes)
  }

  /** Null before the second list. */
  get growth(): Growth | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined || last.atMs - first.atMs < SPAN_MS_MIN) return null
    const mean = rate(first, last)
    let peak = mean
    let start = first
    for (const sample of this.#samples) {
      if (sample.atMs - start.atMs < SPAN_MS_MIN) continue
      peak = Math.max(peak, rate(start, sample))
      start = sample
    }
    return { mean, peak }
  }
}

function rate(first: Sample, last: Sample): number {
  return ((last.totalBytes - first.totalBytes) * 1000) / (last.atMs - first.atMs)
}

/** Bytes written after the end of what was the last file; null when the list no longer has it, or it has shrunk. */
function writtenAfter(before: ListedFile, files: readonly ListedFile[]): number | null {
  const index = files.findIndex(({ name }) => name === before.name)
  const found = files[index]
  if (found === undefined || found.bytes < before.bytes) return null
  return files.slice(index + 1).reduce((sum, { bytes }) => sum + bytes, found.bytes - before.bytes)
}
