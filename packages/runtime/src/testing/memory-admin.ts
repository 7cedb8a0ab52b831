import type { Admin, ClusterDescription, NewTopic, TopicDescription } from '@tributary/kafka'

/** A fake admin client: its topics and settings exist in memory only. */
export class MemoryAdmin implements Admin {
  readonly topics: Map<string, NewTopic> = new Map()
  readonly brokerSettings: Map<string, string> = new Map()
  brokerCount = 1
  /** Calls in order, as method and subject. */
  readonly calls: string[] = []
  /** Errors that the named methods throw. */
  readonly errors: Map<keyof Admin, Error> = new Map()
  /** Called before a topic is created, to let another worker create it first. */
  onCreate: (topic: NewTopic) => void = () => undefined

  #call<T>(method: keyof Admin, subject: string, answer: () => T): Promise<T> {
    this.calls.push(`${String(method)} ${subject}`.trim())
    const error = this.errors.get(method)
    return error === undefined ? Promise.resolve(answer()) : Promise.reject(error)
  }

  cluster(): Promise<ClusterDescription> {
    const brokers = Array.from({ length: this.brokerCount }, (_, id) => ({ id, host: 'broker', port: 9092 + id }))
    return this.#call('cluster', '', () => ({ clusterId: 'memory', brokers }))
  }

  listTopics(): Promise<readonly string[]> {
    return this.#call('listTopics', '', () => [...this.topics.keys()])
  }

  describeTopic(name: string): Promise<TopicDescription | null> {
    return this.#call('describeTopic', name, () => {
      const topic = this.topics.get(name)
      if (topic === undefined) return null
      const partitions = Array.from({ length: Math.max(1, topic.partitions) }, (_, index) => index)
      return { name, partitions: partitions.map((index) => ({ index, leader: 0, replicas: [0] })) }
    })
  }

  createTopic(topic: NewTopic): Promise<boolean> {
    return this.#call('createTopic', topic.name, () => {
      this.onCreate(topic)
      if (this.topics.has(topic.name)) return false
      this.topics.set(topic.name, topic)
      return true
    })
  }

  deleteTopic(name: string): Promise<boolean> {
    return this.#call('deleteTopic', name, () => this.topics.delete(name))
  }

  topicConfig(name: string): Promise<ReadonlyMap<string, string | null>> {
    return this.#call('topicConfig', name, () => new Map(Object.entries(this.topics.get(name)?.configs ?? {})))
  }

  alterTopicConfig(name: string): Promise<void> {
    return this.#call('alterTopicConfig', name, () => undefined)
  }

  brokerConfig(name: string): Promise<string | null> {
    return this.#call('brokerConfig', name, () => this.brokerSettings.get(name) ?? null)
  }

  fenceProducers(transactionalIds: readonly string[]): Promise<void> {
    return this.#call('fenceProducers', transactionalIds.join(), () => undefined)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
