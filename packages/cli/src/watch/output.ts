import { toError } from '@tributary/support'

/** The destination of the formatted records. */
export interface Output {
  /** Resolves when there is room for more: to true, or to false when the reader has closed the pipe. */
  write(bytes: Buffer): Promise<boolean>
}

/**
 * Standard output. It waits for a slow reader. A reader that closes the pipe (`| head`) ends the output without an
 * error, as is usual for filters.
 */
export class StdoutOutput implements Output {
  readonly #stream: NodeJS.WriteStream

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    // `write` gets the error in its callback; without a listener the event would end the process.
    stream.on('error', () => undefined)
  }

  write(bytes: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#stream.write(bytes, (thrown) => {
        if (thrown === null || thrown === undefined) resolve(true)
        else if (isPipeClosed(thrown)) resolve(false)
        else reject(toError(thrown))
      })
    })
  }
}

const CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

function isPipeClosed(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && CLOSED.has(error.code)
}
