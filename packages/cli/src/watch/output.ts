import { toError } from '@tributary/support'

/** Where the records go. */
export interface Output {
  /** Resolves when there is room for more; false when nobody reads any more. */
  write(bytes: Buffer): Promise<boolean>
}

/**
 * Standard output. A reader that is slow is waited for; one that has gone (`| head`) ends the output quietly, as every filter of
 * the system does.
 */
export class StdoutOutput implements Output {
  readonly #stream: NodeJS.WriteStream

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    // The callback of the write has it as well; without a listener the event would end the process.
    stream.on('error', () => undefined)
  }

  write(bytes: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (thrown) => {
        if (thrown === null || thrown === undefined) resolve(true)
        else if (isReaderGone(thrown)) resolve(false)
        else reject(toError(thrown))
      })
    })
  }
}

const GONE: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

function isReaderGone(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && GONE.has(error.code)
}
