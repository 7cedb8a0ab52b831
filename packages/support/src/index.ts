import './native-buffer.ts'

/**
 * Helpers that belong to no domain. A helper moves here when two packages need it.
 *
 *     const log = createLogger('info', (line) => process.stdout.write(line))
 *     await retry(() => connect(), { clock: systemClock, initialMs: 100, maxMs: 30_000, signal })
 */
export { arrayOfLength } from './array-of-length.ts'
export { assert, AssertionError, present, unreachable } from './assert.ts'
export { awaitCompilers } from './await-compilers.ts'
export { BackOff, retry } from './back-off.ts'
export type { BackOffOptions, RetryOptions } from './back-off.ts'
export { ByteRun, ByteWriter } from './byte-writer.ts'
export { systemClock } from './clock.ts'
export type { Clock, Timer } from './clock.ts'
export { doneOr, throwIfStopped } from './done-or.ts'
export { readStoreFile } from './read-store-file.ts'
export {
  CodedError,
  defineErrors,
  describeError,
  isRecoverable,
  isRetriable,
  problemOf,
  StoppedError,
  toError,
} from './errors.ts'
export type { ErrorDefinition, ErrorRegistry, Problem } from './errors.ts'
export { JavaPattern } from './java-pattern/java-pattern.ts'
export type { JavaReplacement } from './java-pattern/java-pattern.ts'
export { JavaPatterns } from './java-pattern/java-patterns.ts'
export type { JavaPatternsOptions } from './java-pattern/java-patterns.ts'
export { KeyStoreError } from './key-store/key-store-error.ts'
export { keyPairOf, trustedCertificates } from './key-store/key-store.ts'
export type { KeyPair, StorePassword } from './key-store/key-store.ts'
export { normalizedPem } from './key-store/pem.ts'
export { LogLevels, parseLogLevel, ROOT_LOGGER } from './log-levels.ts'
export type { LoggerState, LogLevelName, LogLevelsSnapshot } from './log-levels.ts'
export { isLoopback } from './loopback.ts'
export { createLogger, silentLogger, withOutages } from './logger.ts'
export type { LogFields, Logger, LogLevel } from './logger.ts'
export { LiveMeter } from './live-meter.ts'
export { noMeter } from './meter.ts'
export type { Counter, Histogram, Meter, MeterSnapshot } from './meter.ts'
export { mergeFamilies, readFamilies } from './metric-family.ts'
export type {
  HistogramSnapshot,
  MetricDefinition,
  MetricDistribution,
  MetricFamily,
  MetricLabels,
  MetricReading,
  MetricRow,
  MetricSample,
  MetricType,
} from './metric-family.ts'
export { nextTurn } from './next-turn.ts'
export { Outage } from './outage.ts'
export { OutageBoard, type OngoingOutage } from './outage-board.ts'
export { Permits } from './permits.ts'
export { pemProblem } from './pem-problem.ts'
export { isPoisonOn, POISON_BYTE, poisonBytes, PoisonedError, poisonProperties } from './poison.ts'
export { sideBySide, type StoppableWork } from './side-by-side.ts'
export { eachAddressText } from './each-address.ts'
export { tlsFailureText } from './tls-failure.ts'
export { withTimeout } from './timeout-signal.ts'
export { WindowStat } from './window-stat.ts'
export { SharedMemory } from './shared-memory.ts'
export { entryText, visibleJson, visibleText, withoutControls } from './visible-text.ts'
