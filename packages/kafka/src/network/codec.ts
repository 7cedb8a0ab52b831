import { ResponseError, type API, type Connection, type Reader, type Writer } from '@platformatic/kafka'
import { assert } from '@tributary/support'

/** The one method of a connection that the codecs of the client library call. */
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

/** Casts to the connection class of the library, which has private fields; its codecs call only `send`. */
export function asLibraryConnection(transport: CodecTransport): Connection {
  return transport as unknown as Connection
}

/**
 * Sends one request with a codec of the library and returns the response as the broker sent it. The library throws for
 * error codes in a response; this returns the response, and the caller checks them. Rejects when there is no response.
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
