/**
 * Transformations and predicates, under the class names of Kafka Connect and Debezium.
 *
 *     const plugins = [...connectors, ...converters, ...transformationPlugins]
 */
import type { PredicatePlugin, TransformationPlugin } from '@tributary/connect-api'
import { extractNewRecordStatePlugin } from './debezium/extract-new-record-state.ts'
import { regexRouterPlugin } from './kafka/regex-router.ts'

export const transformationPlugins: readonly (TransformationPlugin | PredicatePlugin)[] = [
  extractNewRecordStatePlugin,
  regexRouterPlugin,
]
