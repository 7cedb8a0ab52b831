/** Makes the REST interface answer a request with an error document of this HTTP status and message. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
  }
}
