import { ownOperations, type ConnectorHealth, type HealthProblem, type TimeToLoss } from '@tributary/rest-api'
import { runtimeErrors } from '../errors.ts'
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
    this.handle = forwarder.wrapRead(ownOperations.getConnectorHealth.path, requireRunner, (request, silent) =>
      this.#answer(request, silent),
    )
  }

  /** `silent`: the worker of the connector, which does not answer. */
  #answer({ parameters }: RestRequest, silent: string | null): RestAnswer {
    const { herder } = this.#gate
    const { name } = herder.connectorInfo(parameters['connector'] ?? '')
    const health = herder.tasksHealth(name)
    const document: ConnectorHealth = {
      name,
      ...health,
      problem: health.problem ?? (silent === null ? null : silentWorker(silent)),
      time_to_loss: this.source?.read(name) ?? NOTHING_YET,
    }
    return { status: 200, document }
  }
}

function silentWorker(worker: string): HealthProblem {
  const { code, message, action } = runtimeErrors.RUNNER_SILENT({ worker })
  return { activity: null, code, message, action, since: null, last_at: null, attempts: 1, next_at: null }
}
