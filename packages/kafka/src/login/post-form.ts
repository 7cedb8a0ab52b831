import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestTls } from 'node:https'
import { assert } from '@tributary/support'
import type { TlsClient } from '../network/socket.ts'

export interface FormRequest {
  readonly url: URL
  /** For https. */
  readonly tls: TlsClient | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FormAnswer {
  readonly status: number
  readonly text: string
  /** Where a redirect leads; the client does not follow it, because it would send the secret to any server. */
  readonly location: string | null
}

/** A token has some kilobytes. */
const ANSWER_BYTES_MAX = 1 << 20

/** Sends a form to the endpoint on a connection of its own. */
export function postForm({ url, tls, headers, body }: FormRequest, signal: AbortSignal): Promise<FormAnswer> {
  const options = {
    method: 'POST',
    signal,
    agent: false,
    headers: {
      Accept: 'application/json',
      'Cache-Control': 'no-cache',
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    },
    ...(tls !== null && {
      secureContext: tls.context,
      ...(!tls.checkHostName && { checkServerIdentity: () => undefined }),
    }),
  }
  return new Promise((resolve, reject) => {
    const sent = (tls === null ? requestPlain : requestTls)(url, options, (answer) => {
      readText(answer).then((text) => {
        const { statusCode: status = 0, headers: answered } = answer
        resolve({ status, text, location: answered.location ?? null })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    // A stream without an encoding yields buffers.
    assert(Buffer.isBuffer(chunk), 'the answer is read as bytes')
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX >> 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
