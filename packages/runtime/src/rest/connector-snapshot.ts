import type { TaskSnapshot } from '@tributary/connect-api'
import { ownOperations, type ConnectorSnapshot, type RunningSnapshot } from '@tributary/rest-api'
import type { Forwarder } from './forward/forwarder.ts'
import type { HerderGate } from './herder-gate.ts'
import type { OwnRoute } from './own-scope.ts'
import type { RestAnswer, RestRequest } from './rest-answer.ts'

/** `GET /connectors/{connector}/snapshot`. */
export class ConnectorSnapshotRoute implements OwnRoute {
  readonly path: string = ownOperations.getConnectorSnapshot.path.replaceAll(/\{(\w+)\}/g, ':$1')
  readonly handle: OwnRoute['handle']
  readonly #gate: HerderGate

  /** @throws RequestError and HerderError while the worker is starting, and for an unknown connector */
  constructor(gate: HerderGate, forwarder: Forwarder) {
    const requireRunner = ({ parameters }: RestRequest): void =>
      gate.herder.requireRunner(parameters['connector'] ?? '')
    this.#gate = gate
    this.handle = forwarder.wrapRead(ownOperations.getConnectorSnapshot.path, requireRunner, (request) =>
      this.#answer(request),
    )
  }

  async #answer({ parameters }: RestRequest): Promise<RestAnswer> {
    const { herder } = this.#gate
    const { name } = herder.connectorInfo(parameters['connector'] ?? '')
    const snapshot = await herder.snapshot(name)
    const document: ConnectorSnapshot = {
      name,
      snapshot: snapshot === null ? null : documentOf(snapshot),
      problems: herder.tasksHealth(name).tasks.flatMap(({ problems }) => problems),
    }
    return { status: 200, document }
  }
}

function documentOf({ tables, ...whole }: TaskSnapshot): RunningSnapshot {
  const byState = ORDER.flatMap((state) => tables.filter((each) => each.state === state))
  return {
    kind: whole.kind,
    state: whole.state,
    waits_for: whole.waitsFor,
    started_at: whole.startedMs,
    seconds: whole.seconds,
    rows: whole.rows,
    estimated_rows: whole.estimatedRows,
    percent: whole.percent,
    rows_per_second: whole.rowsPerSecond,
    rows_left: whole.rowsLeft,
    seconds_left: whole.secondsLeft,
    tables_total: tables.length,
    tables_complete: tables.filter(({ state }) => state === 'complete').length,
    tables: byState.slice(0, TABLES_MAX).map((each) => ({
      table: each.table,
      state: each.state,
      rows: each.rows,
      estimated_rows: each.estimatedRows,
      percent: each.percent,
      rows_left: each.rowsLeft,
    })),
  }
}

const ORDER = ['reading', 'waiting', 'complete'] as const
/** Nobody reads more, and ten thousand tables would be two megabytes. */
const TABLES_MAX = 1_000
