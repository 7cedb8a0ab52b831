/**
 * Transformations and predicates, under the class names of Kafka Connect and Debezium.
 *
 *     const plugins = [...connectors, ...converters, ...transformationPlugins]
 */
import type { PredicatePlugin, TransformationPlugin } from '@tributary/connect-api'
import { contentBasedRouterPlugin } from './debezium/content-based-router.ts'
import { enforceRecordSizePlugin } from './debezium/enforce-record-size.ts'
import { extractChangedRecordStatePlugin } from './debezium/extract-changed-record-state.ts'
import { extractNewRecordStatePlugin, unwrapFromEnvelopePlugin } from './debezium/extract-new-record-state.ts'
import { extractSchemaToNewRecordPlugin } from './debezium/extract-schema-to-new-record.ts'
import { filterPlugin as scriptedFilterPlugin } from './debezium/filter.ts'
import { geometryFormatTransformerPlugin } from './debezium/geometry/geometry-format-transformer.ts'
import { swapGeometryCoordinatesPlugin } from './debezium/geometry/swap-geometry-coordinates.ts'
import { headerToValuePlugin } from './debezium/header-to-value.ts'
import { byLogicalTableRouterPlugin, toLogicalTopicRouterPlugin } from './debezium/logical-table-router.ts'
import { eventRouterPlugin } from './debezium/outbox/event-router.ts'
import { partitionRoutingPlugin } from './debezium/partitions/partition-routing.ts'
import { readToInsertEventPlugin } from './debezium/read-to-insert-event.ts'
import { schemaChangeEventFilterPlugin } from './debezium/schema-change-event-filter.ts'
import { timezoneConverterPlugin } from './debezium/timezone/timezone-converter.ts'
import { vectorToJsonConverterPlugin } from './debezium/vector-to-json-converter.ts'
import { castPlugins } from './kafka/cast.ts'
import { dropHeadersPlugin } from './kafka/drop-headers.ts'
import { extractFieldPlugins } from './kafka/extract-field.ts'
import { filterPlugin } from './kafka/filter.ts'
import { flattenPlugins } from './kafka/flatten.ts'
import { headerFromPlugins } from './kafka/header-from.ts'
import { hoistFieldPlugins } from './kafka/hoist-field.ts'
import { insertFieldPlugins } from './kafka/insert-field.ts'
import { insertHeaderPlugin } from './kafka/insert-header.ts'
import { maskFieldPlugins } from './kafka/mask-field.ts'
import { regexRouterPlugin } from './kafka/regex-router.ts'
import { replaceFieldPlugins } from './kafka/replace-field.ts'
import { setSchemaMetadataPlugins } from './kafka/set-schema-metadata.ts'
import { timestampConverterPlugins } from './kafka/timestamp-converter.ts'
import { timestampRouterPlugin } from './kafka/timestamp-router.ts'
import { valueToKeyPlugin } from './kafka/value-to-key.ts'
import { hasHeaderKeyPlugin } from './predicates/has-header-key.ts'
import { recordIsTombstonePlugin } from './predicates/record-is-tombstone.ts'
import { topicNameMatchesPlugin } from './predicates/topic-name-matches.ts'

export { transformErrors } from './errors.ts'

export const transformationPlugins: readonly (TransformationPlugin | PredicatePlugin)[] = [
  contentBasedRouterPlugin,
  enforceRecordSizePlugin,
  extractChangedRecordStatePlugin,
  extractNewRecordStatePlugin,
  unwrapFromEnvelopePlugin,
  extractSchemaToNewRecordPlugin,
  geometryFormatTransformerPlugin,
  swapGeometryCoordinatesPlugin,
  headerToValuePlugin,
  byLogicalTableRouterPlugin,
  toLogicalTopicRouterPlugin,
  eventRouterPlugin,
  partitionRoutingPlugin,
  readToInsertEventPlugin,
  schemaChangeEventFilterPlugin,
  timezoneConverterPlugin,
  vectorToJsonConverterPlugin,
  ...castPlugins,
  dropHeadersPlugin,
  ...extractFieldPlugins,
  filterPlugin,
  ...flattenPlugins,
  ...headerFromPlugins,
  ...hoistFieldPlugins,
  ...insertFieldPlugins,
  insertHeaderPlugin,
  ...maskFieldPlugins,
  regexRouterPlugin,
  ...replaceFieldPlugins,
  ...setSchemaMetadataPlugins,
  ...timestampConverterPlugins,
  timestampRouterPlugin,
  valueToKeyPlugin,
  // After Kafka's class of the same simple name, which the short name means.
  scriptedFilterPlugin,
  hasHeaderKeyPlugin,
  recordIsTombstonePlugin,
  topicNameMatchesPlugin,
]
