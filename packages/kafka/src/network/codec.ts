import { ResponseError, type API, type Connection, type Reader, type Writer } from '@platformatic/kafka'
import { assert } from '@tributary/support'

/** What a codec of the client library asks of a connection: this one method, in the shape that the library gives it. */
export interface CodecTransport {
  send<Response>(
    apiKey: number,
    apiVersion: number,
    createPayload: () => Writer,
    parse: ResponseParser<Response>,
    hasRequestTags: boolean,
    hasResponseTags: boolean,
    callback: ResponseCallback<Response>,
  ): void
}

export type ResponseParser<Response> = (
  correlationId: number,
  apiKey: number,
  apiVersion: number,
  reader: Reader,
) => Response
export type ResponseCallback<Response> = (error: Error | null, response?: Response) => void

/** The connection as the library's types want it: a class with private fields, of which only `send` is ever called. */
export function asLibraryConnection(transport: CodecTransport): Connection {
  return transport as unknown as Connection
}

/**
 * Sends one request by a codec of the library and gives the response as the broker sent it. The library turns error
 * codes inside a response into an error; here they stay in the response, and the caller looks at them. Rejects when
 * there is no response.
 */
export function request<Arguments extends unknown[], Response>(
  transport: CodecTransport,
  api: API<Arguments, Response>,
  ...parameters: Arguments
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const callback: ResponseCallback<Response> = (error, response) => {
      if (error instanceof ResponseError) resolve(responseIn<Response>(error))
      else if (error !== null) reject(error)
      else resolve(response as Response)
    }
    api(asLibraryConnection(transport), ...parameters, callback)
  })
}

function responseIn<Response>(error: ResponseError): Response {
  const response: unknown = error['response']
  assert(typeof response === 'object' && response !== null, 'a ResponseError carries its response')
  return response as Response
}
