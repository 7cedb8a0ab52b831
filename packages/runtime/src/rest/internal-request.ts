import type { ConfigMap } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import { macAlgorithm } from '../config/mac-algorithms.ts'
import { ALGORITHM_HEADER, SIGNATURE_HEADER, type InternalRequest } from '../session-key/request-signature.ts'
import { RequestError } from './request-error.ts'
import type { RestRequest } from './rest-answer.ts'

/** The signature that a worker of the group has added to its request; the messages are Java's. */
export function readInternalRequest({ headers, body }: RestRequest): InternalRequest {
  const encoded = headers[SIGNATURE_HEADER.toLowerCase()]
  const algorithm = headers[ALGORITHM_HEADER.toLowerCase()]
  if (typeof encoded !== 'string' || typeof algorithm !== 'string') return { body, signature: null }
  if (macAlgorithm(algorithm) === null) throw new RequestError(400, `Algorithm ${algorithm} not available`)
  const illegal = /[^A-Za-z0-9+/=]/u.exec(encoded)?.[0]
  if (illegal !== undefined) {
    throw new RequestError(400, `Illegal base64 character ${(illegal.codePointAt(0) ?? 0).toString(16)}`)
  }
  if (!/^[^=]*={0,2}$/.test(encoded)) throw new RequestError(400, 'Input byte array has wrong 4-byte ending unit')
  return { body, signature: { algorithm, bytes: Buffer.from(encoded, 'base64') } }
}

/** The body of `POST /connectors/{connector}/tasks`: a list of maps with texts. */
export function readTaskConfigs(body: Buffer): readonly ConfigMap[] {
  const document = parsed(body)
  if (!Array.isArray(document)) throw badDocument('it is not a list')
  return document.map((each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) throw badDocument('an entry is not a map')
    return Object.fromEntries(
      Object.entries(each).flatMap(([name, value]: [string, unknown]) => {
        if (value === null) return []
        if (typeof value === 'string') return [[name, value]]
        throw badDocument(`the value of ${name} is not a text`)
      }),
    )
  })
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw badDocument(describeError(error))
  }
}

function badDocument(reason: string): RequestError {
  return new RequestError(500, `The body is not a list of task configurations: ${reason}`)
}
