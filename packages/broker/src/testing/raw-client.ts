import { connect, type Socket } from 'node:net'
import { present } from '@tributary/support'
import { apis, isFlexible } from '../protocol/apis.ts'
import { MessageCodec } from '../protocol/message-codec.ts'
import type { ApiName, ReceivedResponse, SentRequest } from '../protocol/message-types.ts'
import { messages } from '../protocol/messages.table.ts'
import { WireReader } from '../protocol/wire-reader.ts'
import { WireWriter } from '../protocol/wire-writer.ts'
import { FrameSplitter } from '../shell/frame-splitter.ts'

interface Waiting {
  readonly resolve: (frame: Buffer) => void
  readonly reject: (error: Error) => void
}

/** A connection to any broker that sends single requests in any version and returns the answers field by field. */
export class RawClient implements AsyncDisposable {
  readonly #socket: Socket
  readonly #codec = new MessageCodec()
  readonly #waiting: Waiting[] = []
  readonly #clientId: string
  readonly #received = new FrameSplitter()
  #correlation = 0

  constructor(socket: Socket, clientId: string) {
    this.#socket = socket
    this.#clientId = clientId
    socket.on('data', (chunk) => this.#onData(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the broker closed the connection'))
    })
  }

  /** @param server `host:port` */
  static async connect(server: string, clientId: string = 'raw'): Promise<RawClient> {
    const [host = '', port = ''] = server.split(':')
    const socket = connect(Number(port), host)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new RawClient(socket, clientId)
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  /** Sends a request and resolves with its answer. Rejects when the broker closes the connection. */
  async send<Name extends ApiName>(
    name: Name,
    version: number,
    request: SentRequest<Name>,
  ): Promise<ReceivedResponse<Name>> {
    const frame = await this.#exchange(name, version, request)
    const api = present(apis.get(messages[name].key), name)
    const reader = new WireReader(frame)
    reader.int32()
    if (isFlexible(api, version) && name !== 'ApiVersions') reader.unsignedVarint()
    return this.#codec.read(api.response, version, reader) as ReceivedResponse<Name>
  }

  /** Sends a request that is not answered: Produce with acks 0. */
  sendOnly<Name extends ApiName>(name: Name, version: number, request: SentRequest<Name>): void {
    this.#write(name, version, request)
  }

  /** Sends bytes as a frame; resolves with the frame of the answer. */
  sendFrame(bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      const size = Buffer.alloc(4)
      size.writeInt32BE(bytes.length)
      this.#socket.write(Buffer.concat([size, bytes]))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.destroyed) return
    const closed = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()))
    this.#socket.destroy()
    await closed
  }

  #exchange<Name extends ApiName>(name: Name, version: number, request: SentRequest<Name>): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#write(name, version, request)
    })
  }

  #write<Name extends ApiName>(name: Name, version: number, request: SentRequest<Name>): void {
    const api = present(apis.get(messages[name].key), name)
    const head = new WireWriter()
    head.int16(api.key)
    head.int16(version)
    head.int32(this.#correlation++)
    const clientId = Buffer.from(this.#clientId)
    head.int16(clientId.length)
    head.bytes(clientId)
    if (isFlexible(api, version)) head.unsignedVarint(0)
    const chunks = [...head.chunks(), ...this.#codec.write(api.request, version, request)]
    const size = Buffer.alloc(4)
    size.writeInt32BE(chunks.reduce((sum, { length }) => sum + length, 0))
    this.#socket.write(Buffer.concat([size, ...chunks]))
  }

  #onData(chunk: Buffer): void {
    for (const frame of this.#received.push(chunk)) this.#waiting.shift()?.resolve(frame)
  }
}
