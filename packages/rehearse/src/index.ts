/**
 * The rehearsal of the move of a connector from Kafka Connect.
 *
 *     const result = await rehearseConnector({ connector, config, stored, kafka, durationMs: 300_000, … }, signal)
 *     const { move, back, move_notes } = moveSteps({ connector, from, to, version: '4.3.1', added: {}, secret: [] })
 */
export { StoredState } from './debezium/stored-state.ts'
export { rehearseErrors } from './errors.ts'
export { moveSteps } from './move.ts'
export type { Address, MoveOptions } from './move.ts'
export { isOfSnapshot } from './position.ts'
export { checkConverters, rehearseConnector } from './rehearse-connector.ts'
export type { ComparedRehearsal, RehearseOptions } from './rehearse-connector.ts'
export type {
  DifferenceExample,
  DifferenceGroup,
  DifferenceKind,
  PlannedMove,
  PlannedRehearsal,
  Rehearsal,
  RehearsalState,
  Step,
} from './result.ts'
export { isServerIdOf, randomServerId, SERVER_ID_MAX } from './shadow/server-id.ts'
export { sessionStatements } from './shadow/session-statements.ts'
