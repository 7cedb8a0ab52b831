import { FETCH_API_KEY } from '../protocol/fetch.ts'

/**
 * Larger frames are not Kafka responses. A listener with TLS, or a web server, answers with bytes that decode to a
 * larger size (0x15030300 and "HTTP").
 */
export const RESPONSE_BYTES_MAX: number = 2 ** 28

/**
 * Every response but a Fetch response describes topics, partitions or errors. Metadata of 200,000 partitions has 12
 * MiB. Each of its few bytes becomes an object, so a frame of the greatest size would fill the heap.
 */
const DESCRIPTION_BYTES_MAX = 2 ** 24

/** The greatest size of the response to a request. A Fetch response contains at least one batch, however large. */
export function responseBytesMax(apiKey: number): number {
  return apiKey === FETCH_API_KEY ? RESPONSE_BYTES_MAX : DESCRIPTION_BYTES_MAX
}
