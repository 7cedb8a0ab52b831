import type { OffsetValue } from '@tributary/rest-api'
import type { AlteredOffset } from '../herder/herder.ts'
import { offsetClass, offsetsClass, readOffsetsDocument, type OffsetProperties } from './json/offsets-document.ts'
import { RequestError } from './request-error.ts'

/** The offsets in the body of `PATCH …/offsets`. The messages are those of Kafka Connect 4.3. */
export function readAlteredOffsets(body: Buffer): readonly AlteredOffset[] {
  const document = readOffsetsDocument(body)
  if (document === null) {
    throw new RequestError(500, `Cannot invoke "${offsetsClass}.offsets()" because "offsets" is null`)
  }
  const offsets = document.offsets ?? []
  if (offsets.length === 0) {
    throw new RequestError(400, 'Partitions / offsets need to be provided for an alter offsets request')
  }
  return offsets.map((sent, i) => {
    if (sent === null) {
      throw new RequestError(500, `Cannot invoke "${offsetClass}.partition()" because "offset" is null`)
    }
    // Kafka Connect accepts such an offset and stores it under a key that it never reads.
    if (sent.partition === null) throw new RequestError(400, `Entry ${i} of "offsets" has no "partition"`)
    return { partition: primitives(sent.partition), offset: sent.offset === null ? null : primitives(sent.offset) }
  })
}

function primitives(properties: OffsetProperties): Readonly<Record<string, OffsetValue>> {
  const entries = [...properties].map(([name, value]): [string, OffsetValue] => {
    if (typeof value !== 'object' || value === null) return [name, value]
    const problem = `but field ${name} contains ${value.kind}`
    throw new RequestError(500, `Offsets may only contain primitive types as values, ${problem}`)
  })
  return Object.fromEntries(entries)
}
