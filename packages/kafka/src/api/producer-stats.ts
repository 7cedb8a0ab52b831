import { WindowStat } from '@tributary/support'

/**
 * What a producer has done since its start. It counts per batch and per request, never per record. The windows have
 * the averages and rates of recent times.
 */
export class ProducerStats {
  /** Acknowledged records. */
  records = 0
  /** Bytes of acknowledged batches: of their records, uncompressed. */
  plainBytes = 0
  /** Bytes of acknowledged batches, as they were sent. */
  batchBytes = 0
  /** Batches that were sent again after an error, and their records. */
  retriedBatches = 0
  retriedRecords = 0
  requests = 0
  requestsInFlight = 0
  /** Bytes of batches in requests, repeated ones included. */
  sentBytes = 0
  readonly recordWindow: WindowStat = new WindowStat()
  readonly plainWindow: WindowStat = new WindowStat()
  readonly batchWindow: WindowStat = new WindowStat()
  /** Milliseconds from the first record of a batch to its acknowledgement. */
  readonly queueWindow: WindowStat = new WindowStat()
  readonly requestWindow: WindowStat = new WindowStat()
  readonly sentWindow: WindowStat = new WindowStat()
  /** Milliseconds from a request to its answer. */
  readonly latencyWindow: WindowStat = new WindowStat()

  /** `bytes`: of the batches of a request that is sent. */
  onRequest(bytes: number, nowMs: number): void {
    this.requests += 1
    this.requestsInFlight += 1
    this.sentBytes += bytes
    this.requestWindow.record(1, nowMs)
    this.sentWindow.record(bytes, nowMs)
  }

  onAnswer(sentAtMs: number, nowMs: number): void {
    this.requestsInFlight -= 1
    this.latencyWindow.record(Math.max(0, nowMs - sentAtMs), nowMs)
  }

  onAcknowledged(batch: AcknowledgedBatch, nowMs: number): void {
    const { records, plainBytes, batchBytes, createdAtMs } = batch
    this.records += records
    this.plainBytes += plainBytes
    this.batchBytes += batchBytes
    this.recordWindow.record(records, nowMs)
    this.plainWindow.record(plainBytes, nowMs)
    this.batchWindow.record(batchBytes, nowMs)
    this.queueWindow.record(Math.max(0, nowMs - createdAtMs), nowMs)
  }

  onRetry(records: number): void {
    this.retriedBatches += 1
    this.retriedRecords += records
  }
}

export interface AcknowledgedBatch {
  readonly records: number
  readonly plainBytes: number
  readonly batchBytes: number
  /** When its first record was appended, in milliseconds since 1970. */
  readonly createdAtMs: number
}
