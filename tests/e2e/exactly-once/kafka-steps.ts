import type { Direction, FaultProxy } from '@tributary/testkit'

/** A step of a transaction: a request, on its way to the broker, or its answer on the way back. */
export interface Step {
  readonly name: string
  /** The request (protocol guide, “Api Keys”). */
  readonly apiKey: number
  readonly direction: Direction
  /** Whether the bytes are still delivered. */
  readonly isDelivered: boolean
  /** A text in the request; for Produce, the topic. */
  readonly contains?: string
}

const [PRODUCE, INIT_PRODUCER_ID, ADD_PARTITIONS, END_TXN] = [0, 22, 24, 26] as const

/** All steps between which a process can end, in order. */
export function stepsOf(names: {
  readonly transactionalId: string
  readonly topic: string
  readonly offsets: string
}): readonly Step[] {
  const { transactionalId, topic, offsets } = names
  const both = (what: string, apiKey: number, contains: string): readonly Step[] => [
    { name: `before ${what} is sent`, apiKey, direction: 'toTarget', isDelivered: false, contains },
    { name: `when ${what} is sent`, apiKey, direction: 'toTarget', isDelivered: true, contains },
    { name: `before the answer to ${what}`, apiKey, direction: 'fromTarget', isDelivered: false, contains },
    { name: `after the answer to ${what}`, apiKey, direction: 'fromTarget', isDelivered: true, contains },
  ]
  return [
    ...both('InitProducerId', INIT_PRODUCER_ID, transactionalId),
    ...both('AddPartitionsToTxn of the records', ADD_PARTITIONS, topic),
    ...both('Produce of the records', PRODUCE, topic),
    ...both('AddPartitionsToTxn of the offset', ADD_PARTITIONS, offsets),
    ...both('Produce of the offset', PRODUCE, offsets),
    ...both('EndTxn', END_TXN, transactionalId),
  ]
}

/** Bytes of one direction of a connection that belong to no complete frame yet. */
interface Stream {
  bytes: Buffer
}

/**
 * Watches the requests that pass a proxy, and calls back once at a step. Reads frames, whatever packets they arrive in: a
 * frame is a length of four bytes, then key, version and correlation id of the request, or the correlation id of the
 * answer.
 */
export class StepWatch {
  readonly #proxy: FaultProxy
  readonly #streams = new Map<object, Record<Direction, Stream>>()
  /** The correlation ids of the requests whose answer is waited for, by connection. */
  readonly #awaited = new Map<object, Set<number>>()
  #step: Step | null = null
  #onStep: () => void = () => undefined

  constructor(proxy: FaultProxy) {
    this.#proxy = proxy
    proxy.onBytes = (bytes, direction, link) => this.#onBytes(bytes, direction, link)
  }

  /** Resolves at the step, when `act` has been called. While it waits, bytes pass. */
  next(step: Step, act: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.clear()
      this.#step = step
      this.#onStep = () => {
        this.#step = null
        act()
        resolve()
      }
    })
  }

  #onBytes(bytes: Buffer, direction: Direction, link: object): void {
    const streams = this.#streams.get(link) ?? { toTarget: { bytes: NONE }, fromTarget: { bytes: NONE } }
    this.#streams.set(link, streams)
    const stream = streams[direction]
    stream.bytes = stream.bytes.length === 0 ? bytes : Buffer.concat([stream.bytes, bytes])
    while (stream.bytes.length >= 4 && stream.bytes.length >= 4 + stream.bytes.readInt32BE(0)) {
      const end = 4 + stream.bytes.readInt32BE(0)
      this.#onFrame(stream.bytes.subarray(4, end), direction, link)
      stream.bytes = stream.bytes.subarray(end)
    }
  }

  #onFrame(frame: Buffer, direction: Direction, link: object): void {
    const step = this.#step
    if (step === null) return
    if (direction === 'fromTarget') {
      if (this.#awaited.get(link)?.has(frame.readInt32BE(0)) === true) this.#reach(step)
      return
    }
    if (frame.readInt16BE(0) !== step.apiKey || !frame.includes(step.contains ?? '')) return
    if (step.direction === 'toTarget') return this.#reach(step)
    const awaited = this.#awaited.get(link) ?? new Set<number>()
    this.#awaited.set(link, awaited.add(frame.readInt32BE(4)))
  }

  #reach(step: Step): void {
    this.#onStep()
    // The bytes of the packet are not forwarded then.
    if (!step.isDelivered) this.#proxy.cut()
  }
}

const NONE = Buffer.alloc(0)
