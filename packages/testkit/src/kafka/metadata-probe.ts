import { connect } from 'node:net'

/**
 * Asks a broker which brokers of its cluster are alive (registered and not fenced). Returns an empty array if the
 * broker does not answer.
 *
 * A listening port is not enough: the listener opens before the controller has unfenced the broker. The probe writes
 * the request itself and does not use this project's Kafka client, which the server is there to test.
 *
 *     Metadata Request (Version: 1) => size:INT32 api_key:INT16=3 api_version:INT16=1 correlation_id:INT32
 *                                      client_id:NULLABLE_STRING [topics]
 *     Metadata Response (Version: 1) => size:INT32 correlation_id:INT32 [brokers] …
 *       brokers => node_id:INT32 host:STRING port:INT32 rack:NULLABLE_STRING
 *
 * An empty array of topics requests no topics.
 */
export function liveBrokerIds(port: number, host = '127.0.0.1'): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host, timeout: ANSWER_TIMEOUT_MS })
    const finish = (ids: readonly number[]): void => {
      socket.destroy()
      resolve(ids)
    }
    socket.on('connect', () => socket.write(REQUEST))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const answer = Buffer.concat(chunks)
      if (answer.length >= 4 && answer.length >= 4 + answer.readInt32BE(0)) finish(brokerIds(answer))
    })
    socket.on('timeout', () => finish([]))
    socket.on('error', () => finish([]))
    socket.on('close', () => finish([]))
  })
}

const ANSWER_TIMEOUT_MS = 2000
const METADATA = 3
const VERSION = 1
const REQUEST = metadataRequest()

function metadataRequest(): Buffer {
  const request = Buffer.alloc(18)
  request.writeInt32BE(request.length - 4, 0)
  request.writeInt16BE(METADATA, 4)
  request.writeInt16BE(VERSION, 6)
  request.writeInt32BE(1, 8)
  request.writeInt16BE(-1, 12)
  request.writeInt32BE(0, 14)
  return request
}

function brokerIds(answer: Buffer): readonly number[] {
  const ids: number[] = []
  let position = 8
  const count = answer.readInt32BE(position)
  position += 4
  for (let i = 0; i < count; i++) {
    ids.push(answer.readInt32BE(position))
    position += 4
    position += 2 + answer.readInt16BE(position)
    position += 4
    // A null rack has length -1 and no bytes.
    position += 2 + Math.max(0, answer.readInt16BE(position))
  }
  return ids
}
