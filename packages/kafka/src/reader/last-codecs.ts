import { compressionsAlgorithms } from '@platformatic/kafka'
import type { CodecReader, CodecSample } from '../api/codec-reader.ts'
import type { Compression } from '../api/producer.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { checkResponse } from '../cluster/response-check.ts'
import { readBatches, readRecords, type ReceivedBatch } from '../protocol/batch-reader.ts'
import { decompressRecords } from '../protocol/compression.ts'
import { BATCH_HEADER_BYTES, CODEC_ATTRIBUTE, CODEC_MASK, CONTROL } from '../protocol/record-batch.ts'
import { fetchOnce } from './fetch-once.ts'
import { EARLIEST, LATEST, leadersOf, listOffsets } from './list-offsets.ts'

/** Reads the last batches of some partitions of a topic. */
export class ClusterCodecReader implements CodecReader {
  readonly #cluster: Cluster

  constructor(context: ClusterContext) {
    this.#cluster = new Cluster(context)
  }

  lastCodecs(topic: string, signal?: AbortSignal): Promise<CodecSample | null> {
    return lastCodecs(this.#cluster, topic, signal)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cluster.close()
  }
}

async function lastCodecs(cluster: Cluster, topic: string, signal?: AbortSignal): Promise<CodecSample | null> {
  const batches = await cluster.retrying(
    `reading the last batches of topic ${topic}`,
    () => lastBatches(cluster, topic, signal),
    signal,
  )
  const samples = batches.filter((batch) => !(batch.attributes & CONTROL) && !hasOnlyTombstones(batch))
  const last = samples.at(-1)
  if (last === undefined) return null
  return {
    codecs: new Set(samples.map(codecOf)),
    last: codecOf(last),
    lz4Share: lz4Share(samples.slice(-COMPRESSED_BATCHES_MAX)),
  }
}

async function lastBatches(
  cluster: Cluster,
  topic: string,
  signal: AbortSignal | undefined,
): Promise<readonly ReceivedBatch[]> {
  const { topics } = await cluster.metadata({ topics: [topic], createsMissing: false }, signal)
  const leaders = leadersOf((topics[0]?.partitions ?? []).slice(0, PARTITIONS_MAX))
  if (leaders.size === 0) return []
  const query = { topic, partitions: [...leaders.keys()], isCommittedOnly: false, leaders }
  const [starts, ends] = await Promise.all([
    listOffsets(cluster, { ...query, timestamp: EARLIEST }, signal),
    listOffsets(cluster, { ...query, timestamp: LATEST }, signal),
  ])
  const found: ReceivedBatch[] = []
  for (const leader of new Set(leaders.values())) {
    const partitions = [...ends]
      .filter(([partition, end]) => leaders.get(partition) === leader && end > (starts.get(partition) ?? end))
      .map(([partition, end]) => {
        const start = starts.get(partition) ?? 0n
        return { partition, offset: end - RECORDS > start ? end - RECORDS : start }
      })
    if (partitions.length === 0) continue
    const fetch = { topic, partitions, maxWaitMs: 0, maxBytes: FETCH_BYTES_MAX, isCommittedOnly: false }
    const response = await fetchOnce(cluster, leader, fetch, signal)
    checkResponse({ request: 'Fetch', subject: `topic ${topic}`, errorCode: response.errorCode })
    for (const { partition, errorCode, records } of response.partitions) {
      checkResponse({ request: 'Fetch', subject: `${topic}-${partition}`, errorCode })
      found.push(...readBatches(records))
    }
  }
  return found
}

function codecOf({ attributes }: ReceivedBatch): Compression {
  const names = Object.keys(CODEC_ATTRIBUTE) as (keyof typeof CODEC_ATTRIBUTE)[]
  return names.find((name) => CODEC_ATTRIBUTE[name] === (attributes & CODEC_MASK)) ?? 'none'
}

/** By default the producer compresses nothing in such batches, whatever it does with others. */
function hasOnlyTombstones(batch: ReceivedBatch): boolean {
  return codecOf(batch) === 'none' && readRecords(batch).every(({ value }) => value === null)
}

/** The size of the batches with LZ4, as a part of their size. */
function lz4Share(batches: readonly ReceivedBatch[]): number {
  let stored = 0
  let compressed = 0
  for (const { bytes, attributes } of batches) {
    const records = bytes.subarray(BATCH_HEADER_BYTES)
    stored += bytes.length
    compressed += BATCH_HEADER_BYTES
    compressed += compressionsAlgorithms.lz4.compressSync(decompressRecords(records, attributes)).length
  }
  return compressed / stored
}

/** Records at the end of each partition: usually more than one batch. */
const RECORDS = 20n
/** All partitions of a topic are written by one producer. */
const PARTITIONS_MAX = 16
/** A batch that is larger is returned nevertheless. */
const FETCH_BYTES_MAX = 2 ** 18
/** Compressing them is for one number in the log. */
const COMPRESSED_BATCHES_MAX = 4
