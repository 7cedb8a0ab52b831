import type { Connection } from 'mysql2'
import { internalsOf } from './driver-internals.ts'

/**
 * Ends a connection whose packets are not numbered one after the other: one is missing, or belongs to another answer.
 * The driver writes a line to the console about it and takes the packet for the next one.
 */
export class PacketOrder {
  /** Called once, with the reason. */
  onBroken: (reason: string) => void = () => undefined
  /** Returns why the driver must not read a packet that is in order; null: it may. */
  check: (payload: Buffer) => string | null = () => null
  #isBroken = false

  private constructor() {}

  static watch(connection: Connection): PacketOrder {
    const order = new PacketOrder()
    const internals = internalsOf(connection)
    const parser = internals.packetParser
    const onPacket = parser.onPacket.bind(parser)
    parser.onPacket = (packet) => {
      const { buffer, offset, end } = packet
      // The error with which MySQL announces the end of the connection has the number 0.
      if (buffer[offset] === ERROR_PACKET) packet.sequenceId = internals.sequenceId
      if (Boolean(internals._command) && packet.sequenceId !== internals.sequenceId) {
        order.#break(`it sent packet ${packet.sequenceId} instead of ${internals.sequenceId}`)
      } else if (offset >= end) {
        order.#break('it sent a packet without content')
      }
      if (order.#isBroken) return
      const problem = order.check(buffer.subarray(offset, end))
      if (problem === null) onPacket(packet)
      else order.#break(problem)
    }
    return order
  }

  #break(reason: string): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.onBroken(reason)
  }
}

const ERROR_PACKET = 0xff
