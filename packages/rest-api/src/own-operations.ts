/** An operation that Kafka Connect does not have. It answers GET and HEAD, and needs no headers. */
export interface OwnOperation {
  /** Path with `{parameters}`. */
  readonly path: string
  readonly summary: string
  /** The type of the answer's document, or its content type. */
  readonly answer: string
  readonly errors: readonly { readonly status: number; readonly when: string }[]
}

type OwnOperationName = 'getConnectorHealth' | 'getConnectorSnapshot' | 'getConnectorTables' | 'getLive' | 'getReady'

/** The operations that Kafka Connect does not have, by name. */
export const ownOperations: Readonly<Record<OwnOperationName, OwnOperation>> = {
  getLive: {
    path: '/health/live',
    summary: 'Whether the worker responds and the threads of its tasks do. For a liveness probe; needs no login',
    answer: 'ProbeAnswer',
    errors: [{ status: 503, when: 'the thread of a running task has not answered for 60 s' }],
  },
  getReady: {
    path: '/health/ready',
    summary: 'Whether the worker has started and can handle requests. For a readiness probe; needs no login',
    answer: 'ProbeAnswer',
    errors: [{ status: 503, when: 'the worker is still starting' }],
  },
  getConnectorHealth: {
    path: '/connectors/{connector}/health',
    summary:
      'What goes wrong with each task, since when, how often, when it is tried again and what a person could do ([its fields](../08-outages.md#what-you-see)); and how long the database keeps the binlog that the connector still needs, also while it is paused, stopped or failed ([its fields](time-to-loss.md))',
    answer: 'ConnectorHealth',
    errors: [
      { status: 404, when: 'the connector is unknown' },
      { status: 503, when: 'the worker is still starting' },
    ],
  },
  getConnectorSnapshot: {
    path: '/connectors/{connector}/snapshot',
    summary:
      'How far the initial, blocking or incremental snapshot is, as a whole and table by table, what it waits for, and what the task retries',
    answer: 'ConnectorSnapshot',
    errors: [
      { status: 404, when: 'the connector is unknown' },
      { status: 503, when: 'the worker is still starting' },
    ],
  },
  getConnectorTables: {
    path: '/connectors/{connector}/tables',
    summary: 'Events of each table by operation since the task was started, and the progress of its snapshot',
    answer: 'ConnectorTables',
    errors: [
      { status: 404, when: 'the connector is unknown' },
      { status: 503, when: 'the worker is still starting' },
    ],
  },
}
