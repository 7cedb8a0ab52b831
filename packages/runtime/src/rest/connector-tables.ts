import { ownOperations, type ConnectorTables } from '@tributary/rest-api'
import type { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'

/** What `GET /connectors/{connector}/tables` answers from: memory. */
export type ReadTables = (connector: string) => ConnectorTables

/** `GET /connectors/{connector}/tables`. */
export class ConnectorTablesRoute implements OwnRoute {
  readonly path: string = ownOperations.getConnectorTables.path.replaceAll(/\{(\w+)\}/g, ':$1')
  /** Set when the worker has started. */
  read: ReadTables | null = null
  readonly #gate: HerderGate

  constructor(gate: HerderGate) {
    this.#gate = gate
  }

  /** @throws RequestError and HerderError while the worker is starting, and for an unknown connector */
  readonly handle: OwnRoute['handle'] = ({ parameters }) => {
    const { name } = this.#gate.herder.connectorInfo(parameters['connector'] ?? '')
    const document: ConnectorTables = this.read?.(name) ?? { name, snapshot: null, tables: [] }
    return { status: 200, document }
  }
}
