import type { ConnectorStateInfo } from '@tributary/rest-api'
import type { WorkerMeasurement } from '../herder/distributed-herder.ts'

/** A connector, its class as in its configuration. */
export interface ConnectorNumbers {
  readonly className: string
  readonly status: ConnectorStateInfo
}

/** Everything that the metrics of a worker are read from. */
export interface WorkerNumbers extends WorkerMeasurement {
  readonly connectors: readonly ConnectorNumbers[]
  /** Whether this worker is certain to be the only one, so that its tasks may write. */
  readonly isLeaseHeld: boolean
}
