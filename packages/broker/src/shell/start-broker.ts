import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import {
  assert,
  describeError,
  silentLogger,
  systemClock,
  toError,
  type Clock,
  type Logger,
  type Timer,
} from '@tributary/support'
import { BrokerCore } from '../core/broker-core.ts'
import { brokerErrors } from '../errors.ts'
import { LoginSession } from '../login/login-session.ts'
import { Logins } from '../login/logins.ts'
import { MessageCodec } from '../protocol/message-codec.ts'
import { ClientConnection } from './client-connection.ts'
import type { BrokerStorage } from '../storage/broker-storage.ts'
import { FolderStorage } from '../storage/folder-storage.ts'
import { MemoryStorage } from '../storage/memory-storage.ts'

export interface BrokerOptions {
  /** The address to listen on, which is also advertised to clients. Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free port. */
  readonly port?: number
  /** The port that clients connect to when another program, such as a proxy, forwards it to this one. Default: `port`. */
  readonly advertisedPort?: number
  /** `memory` (default): everything is gone at the end. `folder`: kept in the files of a folder. */
  readonly storage?: { readonly tag: 'memory' } | { readonly tag: 'folder'; readonly path: string }
  /** Creates topics that a producer or reader asks for. Default true. */
  readonly createsTopics?: boolean
  /** Partitions of topics that are created without a number. Default 1. */
  readonly defaultPartitions?: number
  /** User → password. Clients then have to log in by SASL: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512. */
  readonly users?: Readonly<Record<string, string>>
  /** Clients then have to use TLS. */
  readonly tls?: BrokerTls
  /** How long topics without `retention.ms` keep records. Default: seven days, as Kafka. Infinity: without limit. */
  readonly retentionMs?: number
  readonly logger?: Logger
  readonly clock?: Clock
}

/** Certificate and key in PEM. */
export interface BrokerTls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** Clients then need a certificate of this authority. */
  readonly clientCa?: string | Buffer
}

/** A running development broker. */
export interface DevelopmentBroker extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** `host:port`. */
  readonly bootstrapServers: string
  /** Begins with `dev-only-`. */
  readonly clusterId: string
  /** Closes all connections and the storage. May be called twice. */
  close(): Promise<void>
}

const NODE_ID = 1
const LOOPBACK = '127.0.0.1'

/**
 * Starts a broker for development and tests: one node, no replication. Without `users` and `tls` anyone who reaches its
 * address may do everything.
 *
 * @throws BROKER_PORT; with a folder also BROKER_FOLDER, BROKER_FOLDER_LOCKED, BROKER_FOLDER_FORMAT and
 *   BROKER_DATA_DAMAGED
 */
export async function startBroker(options: BrokerOptions = {}): Promise<DevelopmentBroker> {
  const { host = LOOPBACK, port = 0, logger = silentLogger, clock = systemClock } = options
  const { storage: kind = { tag: 'memory' } } = options
  const storage = kind.tag === 'memory' ? new MemoryStorage() : new FolderStorage(kind.path)
  const server = options.tls === undefined ? createServer() : tlsServer(options.tls)
  try {
    await listen(server, host, port)
    const address = server.address()
    assert(typeof address === 'object' && address !== null, 'a listening server has an address')
    return new RunningBroker(server, storage, { ...options, host, port: address.port, logger, clock })
  } catch (error) {
    server.close()
    storage.close()
    throw error
  }
}

function tlsServer({ cert, key, clientCa }: BrokerTls): Server {
  const mutual = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }
  return createTlsServer({ cert, key, ...mutual })
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const cause = toError(error)
    throw brokerErrors.BROKER_PORT({ address: `${host}:${port}`, reason: cause.message }, cause)
  }
}

interface RunningOptions extends BrokerOptions {
  readonly host: string
  readonly port: number
  readonly logger: Logger
  readonly clock: Clock
}

class RunningBroker implements DevelopmentBroker {
  readonly host: string
  readonly port: number
  readonly #server: Server
  readonly #clock: Clock
  readonly #core: BrokerCore
  readonly #storage: BrokerStorage
  readonly #connections = new Set<ClientConnection>()
  #nowMs = 0
  #timer: Timer | null = null
  #timerDueMs = Infinity
  #closing: Promise<void> | null = null

  constructor(server: Server, storage: BrokerStorage, options: RunningOptions) {
    const { host, port, logger, clock, createsTopics = true, defaultPartitions = 1, retentionMs } = options
    this.host = host
    this.port = port
    this.#server = server
    this.#clock = clock
    this.#storage = storage
    const settings = {
      nodeId: NODE_ID,
      host,
      port: options.advertisedPort ?? port,
      createsTopics,
      defaultPartitions,
      ...(retentionMs !== undefined && { retentionMs }),
    }
    const onError = (error: unknown): void =>
      logger.error('The storage of the broker failed; the broker tries again.', { error: describeError(error) })
    this.#core = new BrokerCore({ settings, storage: this.#storage, randomBytes, nowMs: this.#now(), onError })
    const codec = new MessageCodec()
    const logins = options.users === undefined ? null : new Logins(options.users)
    server.on('tlsClientError', () => {
      // The client has not completed the handshake; its own log has the reason.
    })
    server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      const connection = new ClientConnection(socket, {
        codec,
        logger,
        login: logins === null ? null : new LoginSession(logins),
        handle: (incoming, answer) => {
          this.#core.handle(incoming, this.#now(), answer)
          this.#arm()
        },
      })
      this.#connections.add(connection)
      socket.once('close', () => this.#connections.delete(connection))
    })
    this.#arm()
    logger.info(
      'The development broker is ready. It is one node without replication: for development and tests only.',
      {
        address: this.bootstrapServers,
        clusterId: this.clusterId,
      },
    )
  }

  get bootstrapServers(): string {
    return `${this.host}:${this.port}`
  }

  get clusterId(): string {
    return this.#core.clusterId
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#timer?.cancel()
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const connection of this.#connections) connection.close()
    await closed
    this.#storage.close()
  }

  /** The clock of the machine may be set back; the time of the core does not. */
  #now(): number {
    this.#nowMs = Math.max(this.#nowMs, this.#clock.now())
    return this.#nowMs
  }

  #arm(): void {
    const dueMs = this.#core.nextDueMs
    if (dueMs === this.#timerDueMs || this.#closing !== null) return
    this.#timer?.cancel()
    this.#timerDueMs = dueMs
    this.#timer = null
    if (dueMs === Infinity) return
    this.#timer = this.#clock.after(Math.max(0, dueMs - this.#now()), () => {
      this.#timerDueMs = Infinity
      this.#core.advance(this.#now())
      this.#arm()
    })
  }
}
