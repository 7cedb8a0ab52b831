/**
 * The rehearsal of the move of a connector from Kafka Connect.
 *
 *     const result = await rehearseConnector({ connector, config, stored, kafka, durationMs: 300_000, … }, signal)
 *     const { move, back } = moveSteps({ connector, from: 'http://connect:8083', to: 'http://127.0.0.1:8083' })
 */
export { StoredState } from './debezium/stored-state.ts'
export { rehearseErrors } from './errors.ts'
export { moveSteps } from './move.ts'
export type { MoveOptions } from './move.ts'
export { isOfSnapshot } from './position.ts'
export { checkConverters, rehearseConnector } from './rehearse-connector.ts'
export type { ComparedRehearsal, RehearseOptions } from './rehearse-connector.ts'
export type { DifferenceExample, DifferenceGroup, DifferenceKind, Rehearsal, RehearsalState, Step } from './result.ts'
