/**
 * The Connect runtime. It knows no connector and no converter: plug-ins are passed in.
 *
 *     const worker = await ConnectWorker.start({ properties, loadPlugins, threadUrl, … })
 *     await worker.stop()
 */
export { connectorKeys } from './config/connector-keys.ts'
export type { ClassCheck } from './config/connector-keys.ts'
export { propertiesOfEnvironment, variableOf } from './config/environment.ts'
export { shownValue } from './config/shown-value.ts'
export { parseProperties } from './config/properties-file.ts'
export { refusedSettings } from './config/unsupported-settings.ts'
export type { UnsupportedSetting } from './config/unsupported-settings.ts'
export { workerDefaults, workerKeys } from './config/worker-keys.ts'
export { ConfigProviders } from './config/providers/config-providers.ts'
export { ConnectWorker } from './connect-worker.ts'
export type { ConnectWorkerOptions } from './connect-worker.ts'
export { runtimeErrors } from './errors.ts'
export { METRICS_WAIT_MS, MetricsRegistry } from './observability/metrics-registry.ts'
export type { MetricsSource } from './observability/metrics-registry.ts'
export { connectRefusals } from './herder/connector-validator.ts'
export { previewRefusals } from './herder/preview-refusals.ts'
export type { PreviewOptions } from './herder/preview-refusals.ts'
export { propertyEffects } from './herder/property-effects.ts'
export type { PropertyReport, RefusedProperty } from './herder/property-effects.ts'
export { stateTables } from './herder/reconcile/documented-tables.ts'
export type { DocumentedTable } from './herder/reconcile/documented-tables.ts'
export { Plugins } from './plugins/plugins.ts'
export { stageKeys } from './plugins/stage-keys.ts'
export { metricDefinitions } from './metric-definitions.ts'
export { restErrors } from './rest/listen-errors.ts'
export { runThread } from './thread.ts'
export type { LoadVerifier, Verifier, VerifierInput } from './verification/verifier.ts'
