import { BrokerCore, ClientConnection, MessageCodec } from '@tributary/broker'
import type { ApiName, Incoming, RequestOf, ResponseOf } from '@tributary/broker'
import { silentLogger } from '@tributary/support'
import { BEGIN_MS } from './domain-clock.ts'
import { Domain, type Cancellable, type Scheduler } from './scheduler.ts'
import type { SimulatedDisk } from './broker-storage.ts'
import type { Network, SimulatedSocket } from './network.ts'
import type { Random } from './random.ts'

type Answer = (response: object | null) => void

/** How a broker treats Produce requests for a while. */
export interface ProduceFault {
  readonly untilMs: number
  readonly errorCode: number
  /** The batch is written nevertheless. */
  readonly isWritten: boolean
  readonly probability: number
}

/** Error codes of the protocol guide that the development broker never returns. */
const LEADER_NOT_AVAILABLE = 5
const NOT_LEADER_OR_FOLLOWER = 6
const NOT_COORDINATOR = 16

const FETCH_WAIT_MS_MIN = 500
/**
 * How long somebody is idle before the brokers may forget it. Producers rely on an hour for sequence numbers
 * (packages/kafka/src/producer/partition-queue.ts), and on nothing for transactional ids.
 */
const PRODUCER_IDLE_MS = 3_700_000
const TRANSACTIONAL_ID_IDLE_MS = 1_000

interface Node {
  readonly id: number
  readonly host: string
  readonly domain: Domain
  isUp: boolean
}

export interface BrokersOptions {
  readonly count: number
  readonly partitions: number
  /** Answers an empty Fetch after this time at the earliest: a slow broker, and fewer events to simulate. */
  readonly fetchWaitMs: number
  readonly disk: SimulatedDisk
  readonly scheduler: Scheduler
  readonly network: Network
  readonly random: Random
  /** A Produce request was answered without an error for these batches. */
  readonly onAcknowledged: (topic: string, partition: number, records: Buffer) => void
}

/**
 * Brokers with one replicated state: the core of the development broker. Each leads some partitions, and one of them
 * coordinates; what is sent to another is refused as Kafka refuses it, and changes nothing.
 */
export class Brokers {
  readonly #options: BrokersOptions
  readonly #nodes: Node[] = []
  readonly #codec = new MessageCodec()
  readonly #machine: Domain
  #core: BrokerCore
  #timer: Cancellable | null = null
  #timerDueMs = Infinity
  /** Changes whenever leaders move. */
  #term = 0
  produceFault: ProduceFault | null = null
  readonly counts = { refusedForLeader: 0, injected: 0 }

  constructor(options: BrokersOptions) {
    this.#options = options
    const { count, scheduler, network } = options
    this.#machine = new Domain(scheduler, 'brokers')
    for (let id = 1; id <= count; id++) {
      const node: Node = { id, host: `broker-${id}`, domain: new Domain(scheduler, `broker-${id}`), isUp: true }
      this.#nodes.push(node)
      network.listen(`${node.host}:9092`, {
        domain: node.domain,
        isUp: () => node.isUp,
        accept: (socket) => this.#accept(node, socket),
      })
    }
    this.#core = this.#createCore()
    this.#arm()
  }

  get servers(): string {
    return this.#nodes.map(({ host }) => `${host}:9092`).join(',')
  }

  /** All brokers restart: members of groups have to join again, everything else is on the disk. */
  restartAll(): void {
    for (const { host } of this.#nodes) this.#options.network.cutAll(`${host}:9092`)
    this.#core = this.#createCore()
    this.#arm()
  }

  stop(index: number): void {
    const node = this.#nodes[index % this.#nodes.length]
    // The others have to remain a majority.
    if (node === undefined || this.#nodes.filter(({ isUp }) => isUp).length === 1) return
    node.isUp = false
    this.#term += 1
    this.#options.network.cutAll(`${node.host}:9092`)
  }

  start(index: number): void {
    const node = this.#nodes[index % this.#nodes.length]
    if (node === undefined) return
    node.isUp = true
    this.#term += 1
  }

  /** Returns of how many producers. */
  forgetSequenceNumbers(): number {
    return this.#core.forgetProducers(this.#now() - PRODUCER_IDLE_MS)
  }

  /** Returns how many. */
  forgetTransactionalIds(): number {
    return this.#core.forgetTransactionalIds(this.#now() - TRANSACTIONAL_ID_IDLE_MS)
  }

  moveLeaders(): void {
    this.#term += 1
  }

  #createCore(): BrokerCore {
    const { random, disk, scheduler, partitions } = this.#options
    const bytes = random.fork()
    return new BrokerCore({
      settings: { nodeId: 1, host: 'broker-1', port: 9092, createsTopics: true, defaultPartitions: partitions },
      storage: disk,
      randomBytes: (count) => Buffer.from(Array.from({ length: count }, () => bytes.between(0, 255))),
      nowMs: this.#now(),
      onError: (error) => {
        scheduler.stop()
        throw error
      },
    })
  }

  #now(): number {
    return Math.floor(BEGIN_MS + this.#options.scheduler.nowMs)
  }

  #arm(): void {
    const dueMs = this.#core.nextDueMs
    if (dueMs === this.#timerDueMs) return
    this.#timer?.cancel()
    this.#timerDueMs = dueMs
    this.#timer = null
    if (dueMs === Infinity) return
    this.#timer = this.#options.scheduler.at(dueMs - BEGIN_MS, this.#machine, () => {
      this.#timerDueMs = Infinity
      this.#core.advance(this.#now())
      this.#arm()
    })
  }

  #accept(node: Node, socket: SimulatedSocket): void {
    new ClientConnection(socket, {
      codec: this.#codec,
      logger: silentLogger,
      login: null,
      handle: (incoming, answer) => {
        const answered = this.#refusal(node, incoming)
        if (answered !== undefined) answer(answered)
        else this.#handle(node, incoming, answer)
        this.#arm()
      },
    })
  }

  #handle(node: Node, incoming: Incoming, answer: Answer): void {
    const { name } = incoming.api
    const core = this.#core
    const pass = (request: Incoming, done: Answer): void => {
      core.handle(request, this.#now(), (response) => {
        // The answers of brokers that have restarted meanwhile are not sent.
        if (core === this.#core) done(response)
      })
    }
    switch (name) {
      case 'Produce':
        return this.#produce(incoming, answer, pass)
      case 'Metadata':
        return pass(incoming, (response) => answer(this.#metadata(response as ResponseOf<'Metadata'>)))
      case 'DescribeCluster':
        return pass(incoming, (response) => {
          const brokers = this.#upNodes.map(({ id, host }) => ({ brokerId: id, host, port: 9092, rack: null }))
          answer({ ...response, brokers, controllerId: this.#coordinator.id })
        })
      case 'FindCoordinator':
        return pass(incoming, (response) => answer(this.#coordinatorOf(response as ResponseOf<'FindCoordinator'>)))
      case 'Fetch': {
        const body = incoming.body as RequestOf<'Fetch'>
        const maxWaitMs = body.maxWaitMs < FETCH_WAIT_MS_MIN ? body.maxWaitMs : this.#options.fetchWaitMs
        return pass({ ...incoming, body: { ...body, maxWaitMs } }, answer)
      }
      default:
        void node
        return pass(incoming, answer)
    }
  }

  #produce(incoming: Incoming, answer: Answer, pass: (request: Incoming, done: Answer) => void): void {
    const { scheduler, random } = this.#options
    const body = incoming.body as RequestOf<'Produce'>
    const fault = this.produceFault
    const isFaulty = fault !== null && scheduler.nowMs < fault.untilMs && random.chance(fault.probability)
    if (!isFaulty) {
      return pass(incoming, (response) => {
        this.#noteAcknowledged(body, response)
        answer(response)
      })
    }
    this.counts.injected += 1
    const failed = produceFailure(body, fault.errorCode)
    if (fault.isWritten) pass(incoming, () => answer(failed))
    else answer(failed)
  }

  #noteAcknowledged(request: RequestOf<'Produce'>, response: ResponseOf<'Produce'> | null): void {
    for (const [i, topic] of (response?.responses ?? []).entries()) {
      for (const [j, { errorCode = 0 }] of (topic.partitionResponses ?? []).entries()) {
        const sent = request.topicData[i]
        const data = sent?.partitionData[j]
        if (errorCode !== 0 || sent === undefined || data === undefined || data.records === null) continue
        this.#options.onAcknowledged(sent.name, data.index, data.records)
      }
    }
  }

  get #upNodes(): readonly Node[] {
    return this.#nodes.filter(({ isUp }) => isUp)
  }

  #leader(topic: string, partition: number): Node {
    let hash = this.#term + partition
    for (let i = 0; i < topic.length; i++) hash = (Math.imul(hash, 31) + topic.charCodeAt(i)) >>> 0
    const nodes = this.#upNodes
    return nodes[hash % nodes.length] as Node
  }

  get #coordinator(): Node {
    const nodes = this.#upNodes
    return nodes[this.#term % nodes.length] as Node
  }

  #metadata(response: ResponseOf<'Metadata'>): object {
    return {
      ...response,
      brokers: this.#upNodes.map(({ id, host }) => ({ nodeId: id, host, port: 9092, rack: null })),
      controllerId: this.#coordinator.id,
      topics: (response.topics ?? []).map((topic) => ({
        ...topic,
        partitions: (topic.partitions ?? []).map((partition) => {
          const leaderId = this.#leader(topic.name ?? '', partition.partitionIndex ?? 0).id
          const replicaNodes = this.#nodes.map(({ id }) => id)
          return { ...partition, leaderId, replicaNodes, isrNodes: replicaNodes }
        }),
      })),
    }
  }

  #coordinatorOf(response: ResponseOf<'FindCoordinator'>): object {
    const { id: nodeId, host } = this.#coordinator
    const coordinators = response.coordinators?.map((each) => ({ ...each, nodeId, host, port: 9092 }))
    return { ...response, nodeId, host, port: 9092, ...(coordinators && { coordinators }) }
  }

  /** The answer of a broker that is not the one to ask; undefined: it is. */
  #refusal(node: Node, { api, body }: Incoming): object | undefined {
    if (!node.isUp) return undefined
    const refusal = this.#refusalOf(node, api.name, body)
    if (refusal !== undefined) this.counts.refusedForLeader += 1
    return refusal
  }

  #refusalOf(node: Node, name: ApiName, body: unknown): object | undefined {
    switch (name) {
      case 'Produce': {
        const request = body as RequestOf<'Produce'>
        const isLeader = request.topicData.every((topic) =>
          topic.partitionData.every(({ index }) => this.#leader(topic.name, index) === node),
        )
        return isLeader ? undefined : produceFailure(request, NOT_LEADER_OR_FOLLOWER)
      }
      case 'Fetch': {
        const { topics } = body as RequestOf<'Fetch'>
        const isLeader = topics.every(({ topic, partitions }) =>
          partitions.every(({ partition }) => this.#leader(topic, partition) === node),
        )
        return isLeader ? undefined : { responses: topics.map((each) => fetchFailure(each)) }
      }
      case 'ListOffsets': {
        const { topics } = body as RequestOf<'ListOffsets'>
        const isLeader = topics.every((topic) =>
          topic.partitions.every(({ partitionIndex }) => this.#leader(topic.name, partitionIndex) === node),
        )
        return isLeader ? undefined : { topics: topics.map((each) => listFailure(each)) }
      }
      case 'JoinGroup':
      case 'SyncGroup':
      case 'Heartbeat':
      case 'EndTxn':
        return node === this.#coordinator ? undefined : { errorCode: NOT_COORDINATOR }
      case 'InitProducerId':
        // Every broker assigns ids to producers without a transactional id.
        if ((body as RequestOf<'InitProducerId'>).transactionalId === null) return undefined
        return node === this.#coordinator
          ? undefined
          : { errorCode: NOT_COORDINATOR, producerId: -1n, producerEpoch: -1 }
      default:
        return undefined
    }
  }
}

function produceFailure(request: RequestOf<'Produce'>, errorCode: number): object {
  return {
    responses: request.topicData.map(({ name, topicId, partitionData }) => ({
      name,
      topicId,
      partitionResponses: partitionData.map(({ index }) => ({
        index,
        errorCode,
        baseOffset: -1n,
        logAppendTimeMs: -1n,
        logStartOffset: -1n,
      })),
    })),
  }
}

function fetchFailure({ topic, topicId, partitions }: RequestOf<'Fetch'>['topics'][number]): object {
  return {
    topic,
    topicId,
    partitions: partitions.map(({ partition }) => ({
      partitionIndex: partition,
      errorCode: NOT_LEADER_OR_FOLLOWER,
      highWatermark: -1n,
      lastStableOffset: -1n,
      logStartOffset: -1n,
      records: null,
    })),
  }
}

function listFailure({ name, partitions }: RequestOf<'ListOffsets'>['topics'][number]): object {
  return {
    name,
    partitions: partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode: LEADER_NOT_AVAILABLE,
      timestamp: -1n,
      offset: -1n,
      leaderEpoch: -1,
    })),
  }
}
