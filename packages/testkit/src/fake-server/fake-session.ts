import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { dumpBytes, dumpedEvents, type ServedBinlog, type ServedStart } from './binlog-dump.ts'
import { ClientPackets } from './client-packets.ts'
import { type LoginScript, runLogin, type ServerKeys } from './fake-login.ts'
import type { FakeServerState } from './server-state.ts'
import type { Bent, Point } from './fault.ts'
import { GREETING, greetingPayload, type Greeting } from './greeting.ts'
import { errorPayload, OK, packetOf } from './packets.ts'

export interface FakeSessionOptions {
  readonly greeting?: Partial<Greeting>
  /** Default: accepts every user. */
  readonly login?: LoginScript
  /** For TLS and for the public key. */
  readonly keys?: ServerKeys
  /** The packets of the answer; null when the script has none. `isLate`: a replica has read the binlog. */
  readonly answer?: (sql: string, isLate: boolean) => Buffer | null
  readonly binlog?: ServedBinlog
  readonly bend: (point: Point, bytes: Buffer) => Bent
  readonly state: FakeServerState
}

/** One connection: greeting, login, then commands. Everything that it sends passes the fault layer. */
export class FakeSession {
  readonly #options: FakeSessionOptions
  readonly #packets: ClientPackets
  #socket: Duplex
  /** MariaDB has the start of a dump by GTIDs in a session variable. */
  #connectState: string | null = null
  /** Sequence number of the last packet of the client. */
  #loginSequence = 1

  constructor(socket: Socket, options: FakeSessionOptions) {
    this.#socket = socket
    this.#options = options
    this.#packets = new ClientPackets(socket)
  }

  async run(): Promise<void> {
    if (!(await this.#logIn())) return
    for (;;) {
      const command = await this.#packets.next()
      if (command === null) break
      if (!(await this.#execute(command))) return
    }
    this.#socket.end()
  }

  async #logIn(): Promise<boolean> {
    const greeting = { ...GREETING, ...this.#options.greeting }
    if (!(await this.#send({ tag: 'greeting' }, packetOf(greetingPayload(greeting), 0)))) return false
    const response = await this.#packets.next()
    if (response === null) return false
    const isEncrypted = (response.readUInt32LE(0) & CLIENT_SSL) !== 0
    if (isEncrypted && !(await this.#startTls())) return false
    let step = 0
    return runLogin(this.#options.login ?? { tag: 'accept' }, {
      send: (payload) => {
        const packet = packetOf(payload, (this.#loginSequence += 1))
        return this.#send({ tag: 'login', step: step++ }, packet)
      },
      next: async () => {
        this.#loginSequence += 1
        return this.#packets.next()
      },
      isEncrypted,
      keys: this.#options.keys ?? null,
      greeting,
    })
  }

  /** Packet 1 requested TLS; the credentials follow as packet 2. */
  async #startTls(): Promise<boolean> {
    const { keys } = this.#options
    this.#packets.leave()
    this.#loginSequence = 2
    if (!(await this.#send({ tag: 'tls' }, NOTHING)) || keys === undefined) return false
    const secure = new TLSSocket(this.#socket, { isServer: true, key: keys.key, cert: keys.certificate })
    secure.on('error', () => this.#socket.destroy())
    this.#socket = secure
    this.#packets.switchTo(secure)
    return (await this.#packets.next()) !== null
  }

  /** False when the connection is over. */
  async #execute(command: Buffer): Promise<boolean> {
    switch (command[0]) {
      case COM_QUIT:
        return false
      case COM_QUERY:
        return this.#answer(command.toString('utf8', 1))
      case COM_REGISTER_SLAVE:
        return this.#send({ tag: 'registration' }, packetOf(OK, 1))
      case COM_BINLOG_DUMP:
        return this.#dump(command.readUInt32LE(7), this.#positionOf(command))
      case COM_BINLOG_DUMP_GTID:
        return this.#dump(command.readUInt32LE(3), { tag: 'after', transaction: lastTransaction(command.subarray(23)) })
      default:
        return this.#send({ tag: 'answer', sql: '' }, packetOf(errorPayload(1047, 'Unknown command', '08S01'), 1))
    }
  }

  #answer(sql: string): Promise<boolean> {
    const { answer, state } = this.#options
    this.#connectState = /@slave_connect_state = '([^']*)'/.exec(sql)?.[1] ?? this.#connectState
    const scripted = answer?.(sql, state.hasDumped) ?? null
    if (scripted !== null) return this.#send({ tag: 'answer', sql }, scripted)
    if (sql.startsWith('SET ')) return this.#send({ tag: 'answer', sql }, packetOf(OK, 1))
    state.unanswered.push(sql)
    const text = `the recorded conversation has no answer; run tests/adversary/fake-server/record-conversations.ts: ${sql}`
    return this.#send({ tag: 'answer', sql }, packetOf(errorPayload(1064, text, '42000'), 1))
  }

  /** COM_BINLOG_DUMP: int<1> command · int<4> position · int<2> flags · int<4> server id · name. */
  #positionOf(command: Buffer): ServedStart {
    if (command.length > 11 || this.#connectState === null)
      return { tag: 'position', position: command.readUInt32LE(1) }
    return { tag: 'after', transaction: Number(/-(\d+)$/.exec(this.#connectState)?.[1] ?? 0) }
  }

  /** The connection stays open at the end of the binlog, as that of a server without changes. */
  #dump(serverId: number, start: ServedStart): Promise<boolean> {
    const { binlog, state } = this.#options
    if (binlog === undefined) return this.#send({ tag: 'dump', serverId }, packetOf(NO_BINLOG, 1))
    if (serverId !== 0) state.hasDumped = true
    return this.#send({ tag: 'dump', serverId }, dumpBytes(dumpedEvents(binlog, start)))
  }

  /** Sends what the fault layer makes of the bytes; false when it ends the connection. */
  async #send(point: Point, bytes: Buffer): Promise<boolean> {
    const { bend, state } = this.#options
    const { send, ending } = bend(point, bytes)
    const socket = this.#socket
    for (const part of send) {
      if (socket.destroyed) return false
      state.bytesSent += part.length
      if (socket.write(part)) await nextTurn()
      else await drained(socket)
    }
    if (ending === 'continue') return true
    if (ending === 'close') socket.end()
    if (ending === 'reset' && 'resetAndDestroy' in socket) (socket as Socket).resetAndDestroy()
    return false
  }
}

/** Waits until the socket accepts more, or is closed. */
function drained(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

/**
 * The last transaction of the first source of a set: int<8> number of sources · 16 bytes UUID · int<8> number of
 * intervals · (int<8> first · int<8> after the last) … 0 for an empty set.
 */
function lastTransaction(set: Buffer): number {
  if (set.length < 48) return 0
  const intervals = Number(set.readBigUInt64LE(24))
  return Number(set.readBigUInt64LE(32 + (intervals - 1) * 16 + 8)) - 1
}

const NOTHING = Buffer.alloc(0)
const CLIENT_SSL = 0x08_00
const COM_QUIT = 0x01
const COM_QUERY = 0x03
const COM_BINLOG_DUMP = 0x12
const COM_REGISTER_SLAVE = 0x15
const COM_BINLOG_DUMP_GTID = 0x1e
const NO_BINLOG = errorPayload(1236, 'Binary log is not open')
