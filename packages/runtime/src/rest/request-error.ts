/** A request that is answered with an error document: this HTTP status and this message. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
  }
}
