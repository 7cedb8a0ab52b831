import { ownOperations, type ConnectorTables } from '@tributary/rest-api'
import type { Forwarder } from './forward/forwarder.ts'
import type { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'
import type { RestAnswer, RestRequest } from './rest-answer.ts'

/** What `GET /connectors/{connector}/tables` answers from: memory. */
export type ReadTables = (connector: string) => ConnectorTables

/** `GET /connectors/{connector}/tables`. */
export class ConnectorTablesRoute implements OwnRoute {
  readonly path: string = ownOperations.getConnectorTables.path.replaceAll(/\{(\w+)\}/g, ':$1')
  /** Set when the worker has started. */
  read: ReadTables | null = null
  readonly handle: OwnRoute['handle']
  readonly #gate: HerderGate

  /** @throws RequestError and HerderError while the worker is starting, and for an unknown connector */
  constructor(gate: HerderGate, forwarder: Forwarder) {
    const requireRunner = ({ parameters }: RestRequest): void =>
      gate.herder.requireRunner(parameters['connector'] ?? '')
    this.#gate = gate
    this.handle = forwarder.wrapRead(ownOperations.getConnectorTables.path, requireRunner, (request) =>
      this.#answer(request),
    )
  }

  #answer({ parameters }: RestRequest): RestAnswer {
    const { name } = this.#gate.herder.connectorInfo(parameters['connector'] ?? '')
    const document: ConnectorTables = this.read?.(name) ?? { name, snapshot: null, tables: [] }
    return { status: 200, document }
  }
}
