/** Makes the REST interface answer a request with an error document of this HTTP status and message. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number
  /** The Retry-After header: the request has changed nothing, and may succeed after this time, in seconds. */
  readonly retryAfterS: number | undefined

  constructor(status: number, message: string, cause?: unknown, retryAfterS?: number) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.retryAfterS = retryAfterS
  }
}
