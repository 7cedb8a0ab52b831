import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Packets of one direction. */
class PacketCutter {
  #rest = Buffer.alloc(0)

  /** The complete packets, with their headers. */
  push(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const packets: Buffer[] = []
    while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUIntLE(0, 3)) {
      const end = 4 + this.#rest.readUIntLE(0, 3)
      packets.push(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
    }
    return packets
  }
}

/** A proxy that keeps the greeting and the answer to each statement. The connections must be without TLS. */
export class RecordingProxy implements AsyncDisposable {
  port = 0
  greeting: Buffer = Buffer.alloc(0)
  /** By statement: the bytes of its answers, in order. */
  readonly answers: Map<string, Buffer[]> = new Map()
  readonly #server: Server = createServer((client) => this.#accept(client))
  readonly #sockets = new Set<Socket>()
  readonly #targetPort: number

  constructor(targetPort: number) {
    this.#targetPort = targetPort
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    this.port = (this.#server.address() as AddressInfo).port
  }

  #accept(client: Socket): void {
    const target = connect({ host: '127.0.0.1', port: this.#targetPort })
    const [fromClient, fromServer] = [new PacketCutter(), new PacketCutter()]
    let answer: Buffer[] | null = null
    let isGreeting = true
    client.on('data', (chunk) => {
      for (const packet of fromClient.push(chunk)) {
        // Sequence number 0: a command, which ends the answer to the one before.
        if (packet[3] !== 0) continue
        answer = packet[4] === COM_QUERY ? this.#begin(packet.toString('utf8', 5)) : null
      }
      target.write(chunk)
    })
    target.on('data', (chunk) => {
      for (const packet of fromServer.push(chunk)) {
        if (isGreeting) this.greeting = packet.subarray(4)
        isGreeting = false
        if (answer !== null) answer[answer.length - 1] = Buffer.concat([answer.at(-1) ?? packet, packet])
      }
      client.write(chunk)
    })
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  }

  #begin(sql: string): Buffer[] {
    const answers = this.answers.get(sql) ?? []
    answers.push(Buffer.alloc(0))
    this.answers.set(sql, answers)
    return answers
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const COM_QUERY = 0x03
