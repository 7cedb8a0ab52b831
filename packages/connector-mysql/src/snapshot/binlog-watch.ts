import type { BinlogStream, BinlogStreamOptions, DumpStart } from '@tributary/mysql'
import type { Clock, Timer } from '@tributary/support'
import type { ServerPosition } from '../flavor/flavor.ts'
import { type BinlogVisitor, openScan, readUntil } from './structure-scan.ts'

export interface BinlogWatchOptions {
  /** A place between transactions. */
  readonly from: Pick<ServerPosition, 'file' | 'position'>
  /** Where the first dump starts, if it is not `from`: what is before that by its GTID may be after it in the files. */
  readonly start?: DumpStart | undefined
  readonly binlogFrom: (start: DumpStart) => BinlogStreamOptions
  /** Is shown each event from there on once. */
  readonly visitor: BinlogVisitor
  readonly silenceMsMax: number
  /** How long a dump stays open for the next step. Default: 5 s. */
  readonly pauseMsMax?: number
  readonly clock: Clock
}

/**
 * Reads the binlog in steps, each one up to the place that the server has reached by then. A dump stays open for the
 * next step if that follows soon: thousands of small tables need one connection. In a longer pause it is closed, since
 * the server waits for its reader no longer than `net_write_timeout`.
 */
export class BinlogWatch implements AsyncDisposable {
  readonly #options: BinlogWatchOptions
  readonly #stop = new AbortController()
  /** The steps run one after the other. */
  #last: Promise<void> = Promise.resolve()
  #scan: { readonly stream: BinlogStream; readonly binlog: BinlogStreamOptions } | null = null
  #pause: Timer | null = null
  /** Everything before it was read. */
  #place: Pick<ServerPosition, 'file' | 'position'>
  /** Null: `#place`. */
  #start: DumpStart | null

  constructor(options: BinlogWatchOptions) {
    this.#options = options
    this.#place = options.from
    this.#start = options.start ?? null
  }

  /** Shows the visitor all events before that place. To be called with places that the server has reported. */
  readTo(until: ServerPosition): Promise<void> {
    const step = this.#last.then(() => this.#step(until))
    this.#last = step.catch(() => undefined)
    return step
  }

  /** Closes the dump, so that another reader may use the server id. The next step opens it again. */
  async rest(): Promise<void> {
    await this.#last
    this.#pause?.cancel()
    await this.#close()
  }

  async #step(until: ServerPosition): Promise<void> {
    const { visitor, clock, silenceMsMax, pauseMsMax = PAUSE_MS_MAX } = this.#options
    // Of two connections that ask at the same time, the later answer may be the earlier place.
    if (this.#start === null && until.file === this.#place.file && until.position <= this.#place.position) return
    this.#pause?.cancel()
    try {
      this.#scan ??= await this.#open()
      const { stream, binlog } = this.#scan
      await readUntil(stream, visitor, { binlog, until, clock, silenceMsMax }, this.#stop.signal)
      this.#place = { file: until.file, position: until.position }
      this.#start = null
    } catch (error) {
      await this.#close()
      throw error
    }
    this.#pause = clock.after(pauseMsMax, () => void this.#close())
  }

  async #open(): Promise<{ readonly stream: BinlogStream; readonly binlog: BinlogStreamOptions }> {
    const { binlogFrom, clock } = this.#options
    const binlog = binlogFrom(this.#start ?? { tag: 'position', ...this.#place })
    return { stream: await openScan({ binlog, clock }, this.#stop.signal), binlog }
  }

  async #close(): Promise<void> {
    const scan = this.#scan
    this.#scan = null
    await scan?.stream.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.rest()
  }
}

const PAUSE_MS_MAX = 5_000
