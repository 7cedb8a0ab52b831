/**
 * The interfaces and data types of plug-ins.
 *
 *     class Ticks implements SourceTask {
 *       async poll(signal: AbortSignal): Promise<PollResult> { … }
 *     }
 *     export const plugin: SourcePlugin = { type: 'source', className: 'org.example.Ticks', … }
 */
export { ConfigDef, ConfigError, ConfigValues } from './config/config-def.ts'
export type {
  ConfigKey,
  ConfigType,
  ConfigValue,
  Importance,
  ParsedValue,
  ParsedValues,
  Refusal,
  Validator,
  Width,
} from './config/config-key.ts'
export { kafkaMessages } from './config/config-messages.ts'
export type { ConfigMessages } from './config/config-messages.ts'
export type { PropertyDifference, PropertyEffect } from './config/property-effect.ts'
export { atLeast, nonEmptyWithoutControlCharacters, nonNull, oneOf, oneOfIgnoringCase } from './config/validators.ts'
export type { Converter, EncodedHeader, HeaderConverter, SchemaCompatibility, ValueEncoder } from './converter.ts'
export { Schema, Struct } from './data.ts'
export type { ConnectValue, Field, Int64, SchemaOptions, SchemaType } from './data.ts'
export { Decimal, DECIMAL_SCHEMA_NAME } from './decimal.ts'
export { derive, DerivedStruct, ownField, StructDerivation } from './derived-struct.ts'
export { detach, detachValue } from './detach.ts'
export { EncodedText } from './encoded-text.ts'
export type { TextCharset, TextDecoder } from './encoded-text.ts'
export { connectErrors } from './errors.ts'
export { isJavaDate, JAVA_NUMBERS, javaTypeName } from './java-names.ts'
export type { LossForecast, LossProbe } from './loss.ts'
export { nameAdjuster, nameAdjustments } from './name-adjuster.ts'
export type { NameAdjuster, NameAdjustment } from './name-adjuster.ts'
export type {
  ConverterPlugin,
  HeaderConverterPlugin,
  LazyPlugins,
  Plugin,
  PluginList,
  PredicatePlugin,
  SourcePlugin,
  TransformationPlugin,
} from './plugin.ts'
export { RawCells, RawStruct, READ_ALREADY } from './raw-struct.ts'
export type { RawField, RawLayout, RawPrinter, RawReader, UnscaledWriter } from './raw-struct.ts'
export { NO_HEADERS } from './record.ts'
export type { Header, OffsetDocument, OffsetPrimitive, SourceOffset, SourcePartition, SourceRecord } from './record.ts'
export { Schemas } from './schemas.ts'
export type {
  CaptureContext,
  ConfigMap,
  PollResult,
  ProbeContext,
  RecordSchemas,
  SchemaAnnouncement,
  SourceConnector,
  DeliveryProgress,
  SourceProgress,
  SourceTable,
  SourceTables,
  SourceTask,
  SourceTaskContext,
  ValidationContext,
} from './source.ts'
export type { Predicate, StageContext, Transformation, TransformationStage } from './transformation.ts'
export { StructTemplate, TemplateStruct } from './template-struct.ts'
export { bigDecimalText, doubleText, floatText, writeDouble, writeFloat } from './text/java-number.ts'
export { DATE_SCHEMA_NAME, TIME_SCHEMA_NAME, TIMESTAMP_SCHEMA_NAME } from './text/logical-types.ts'
export { instantText, momentText } from './text/moment-text.ts'
export { scalarText } from './text/scalar-text.ts'
export type { TaskNotification } from './task-notification.ts'
export type { SignalResult, TableProgress, TaskSignal, TaskSnapshot } from './task-snapshot.ts'
