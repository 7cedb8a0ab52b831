/**
 * Comparison of the tables of a connector with their topics, and the records of a topic for people.
 *
 *     await verifyConnector({ connector: 'shop', config, converters, kafka, tables: [], … }, signal)
 */
export { verifyErrors } from './errors.ts'
export { ExactNumber, isObject, jsonText, parseExactly } from './forms/json-value.ts'
export type { JsonValue } from './forms/json-value.ts'
export { shownLiteral } from './forms/shown-literal.ts'
export { viewTopic } from './events/view-topic.ts'
export type { ViewTopicOptions } from './events/view-topic.ts'
export type { StreamProgress } from './stream-progress.ts'
export { verifyConnector } from './verify-connector.ts'
export type { VerifyOptions } from './verify-connector.ts'
