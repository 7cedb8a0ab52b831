export interface BrokerPorts {
  readonly nodeId: number
  /** The port of the client listener. */
  readonly client: number
  /** The port that the broker advertises to clients: that of a proxy, or `client`. */
  readonly advertised: number
  readonly internal: number
  readonly controller: number
  /** Port per extra listener name. */
  readonly extra: Readonly<Record<string, number>>
}

export interface BrokerPropertiesOptions {
  readonly self: BrokerPorts
  readonly all: readonly BrokerPorts[]
  /** The address of the client listener. */
  readonly host: string
  readonly dataFolder: string
  /** Security protocol per extra listener name. */
  readonly extraListeners: Readonly<Record<string, string>>
  /** Overrides everything else. */
  readonly config: Readonly<Record<string, string>>
}

/**
 * The server.properties of one broker.
 *
 * Brokers and Kafka's own tools use a separate listener (INTERNAL), so that a proxy in front of the client listener
 * affects only clients.
 */
export function brokerProperties(options: BrokerPropertiesOptions): string {
  const { self, all, host, dataFolder, extraListeners, config } = options
  const extra = Object.entries(self.extra)
  const clientSide = (port: number): string[] => [
    `PLAINTEXT://${host}:${port}`,
    `INTERNAL://127.0.0.1:${self.internal}`,
    ...extra.map(([name, extraPort]) => `${name}://127.0.0.1:${extraPort}`),
  ]
  const protocols = { PLAINTEXT: 'PLAINTEXT', INTERNAL: 'PLAINTEXT', CONTROLLER: 'PLAINTEXT', ...extraListeners }
  const properties: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': String(self.nodeId),
    'controller.quorum.voters': all.map(({ nodeId, controller }) => `${nodeId}@127.0.0.1:${controller}`).join(','),
    listeners: [...clientSide(self.client), `CONTROLLER://127.0.0.1:${self.controller}`].join(','),
    'advertised.listeners': clientSide(self.advertised).join(','),
    'listener.security.protocol.map': Object.entries(protocols)
      .map(([name, protocol]) => `${name}:${protocol}`)
      .join(','),
    'inter.broker.listener.name': 'INTERNAL',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataFolder,
    'log.index.size.max.bytes': String(INDEX_BYTES),
    ...smallCluster(all.length),
    ...config,
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/**
 * Size of an index file. By default it is sparse with 10 MB; when its first entry is written, the kernel fills as much
 * of it as the disk's read-ahead, which took 50 ms of CPU per new topic with a read-ahead of 8 MB. This size is enough
 * for 80 MB of records, then a new segment starts.
 */
const INDEX_BYTES = 2 ** 18

function smallCluster(brokers: number): Record<string, string> {
  const replicas = String(brokers)
  return {
    'auto.create.topics.enable': 'true',
    'num.partitions': '1',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.min.isr': String(Math.min(brokers, 2)),
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    // A killed broker can register again only after its old session has expired, 9 s by default. Three seconds are
    // still longer than the pauses on a machine whose two cores run other suites.
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    // By default the broker deletes records with old timestamps 30 s after its start: a test that writes such records
    // would fail only on a slow machine.
    'log.retention.ms': '-1',
    // The cleaner takes 128 MB of the heap by default.
    'log.cleaner.dedupe.buffer.size': '4194304',
  }
}
