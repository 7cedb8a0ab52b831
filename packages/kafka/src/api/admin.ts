export interface NewTopic {
  readonly name: string
  /** -1: the broker's default. */
  readonly partitions: number
  /** -1: the broker's default. */
  readonly replicationFactor: number
  readonly configs?: Readonly<Record<string, string>>
}

export interface TopicDescription {
  readonly name: string
  readonly partitions: readonly {
    readonly index: number
    readonly leader: number
    readonly replicas: readonly number[]
  }[]
}

export interface ClusterDescription {
  readonly clusterId: string
  readonly brokers: readonly { readonly id: number; readonly host: string; readonly port: number }[]
}

/** Administers topics. Every call retries while brokers are unreachable, until its signal fires. */
export interface Admin extends AsyncDisposable {
  cluster(signal?: AbortSignal): Promise<ClusterDescription>
  listTopics(signal?: AbortSignal): Promise<readonly string[]>
  /** Null when the topic does not exist. */
  describeTopic(name: string, signal?: AbortSignal): Promise<TopicDescription | null>
  /** False when the topic exists already. */
  createTopic(topic: NewTopic, signal?: AbortSignal): Promise<boolean>
  /** False when the topic does not exist. */
  deleteTopic(name: string, signal?: AbortSignal): Promise<boolean>
  /** Effective settings of a topic, by name. */
  topicConfig(name: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string | null>>
  /** Changes these settings of a topic; the others stay as they are. */
  alterTopicConfig(name: string, configs: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void>
  /** A setting of one of the brokers; null when it is unset or the user may not read it. */
  brokerConfig(name: string, signal?: AbortSignal): Promise<string | null>
  /**
   * Fences the producers with these transactional ids: open transactions are resolved, and the producers cannot write any
   * more (Java's Admin.fenceProducers).
   */
  fenceProducers(transactionalIds: readonly string[], signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}
