import { ownOperations, type ConnectorHealth, type TimeToLoss } from '@tributary/rest-api'
import type { Forwarder } from './forward/forwarder.ts'
import type { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'
import type { RestAnswer, RestRequest } from './rest-answer.ts'

/** The state of a connector that the worker has not measured yet. */
const NOTHING_YET: TimeToLoss = {
  status: 'unknown',
  seconds: null,
  running_out: false,
  expected_seconds: null,
  bytes: null,
  files: null,
  needed_file: null,
  backlog_bytes: null,
  backlog_files: null,
  growth_bytes_per_second: null,
  retention_seconds: null,
  retention: [],
  notes: ['Nothing has been measured yet.'],
  problem: null,
  measured_at: null,
  age_seconds: null,
}

/** What `GET /connectors/{connector}/health` answers from. */
export interface HealthSource {
  /** Null until something was measured. */
  read(connector: string): TimeToLoss | null
}

/** `GET /connectors/{connector}/health`. */
export class ConnectorHealthRoute implements OwnRoute {
  readonly path: string = ownOperations.getConnectorHealth.path.replaceAll(/\{(\w+)\}/g, ':$1')
  /** Set when the worker has started. */
  source: HealthSource | null = null
  readonly handle: OwnRoute['handle']
  readonly #gate: HerderGate

  /** @throws RequestError and HerderError while the worker is starting, and for an unknown connector */
  constructor(gate: HerderGate, forwarder: Forwarder) {
    const requireRunner = ({ parameters }: RestRequest): void =>
      gate.herder.requireRunner(parameters['connector'] ?? '')
    this.#gate = gate
    this.handle = forwarder.wrapRead(ownOperations.getConnectorHealth.path, requireRunner, (request) =>
      this.#answer(request),
    )
  }

  #answer({ parameters }: RestRequest): RestAnswer {
    const { herder } = this.#gate
    const { name } = herder.connectorInfo(parameters['connector'] ?? '')
    const document: ConnectorHealth = {
      name,
      ...herder.tasksHealth(name),
      time_to_loss: this.source?.read(name) ?? NOTHING_YET,
    }
    return { status: 200, document }
  }
}
