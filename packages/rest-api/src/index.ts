/**
 * The contract of the REST interface, for browsers and Node.
 *
 *     const status = (await (await fetch(`${base}/connectors/${name}/status`)).json()) as ConnectorStateInfo
 */
export { initialStates } from './entities.ts'
export type {
  AcceptedSignal,
  ConfigInfo,
  ConfigInfos,
  ConfigKeyInfo,
  ConfigValueInfo,
  ConfigWarning,
  ConnectorHealth,
  ConnectorInfo,
  ConnectorOffset,
  ConnectorOffsets,
  ConnectorSnapshot,
  ConnectorState,
  ConnectorStateInfo,
  ConnectorStatus,
  ConnectorTables,
  ConnectorTaskId,
  ConnectorTopics,
  ConnectorType,
  CountedTable,
  CreateConnectorRequest,
  ErrorDocument,
  ExpandedConnector,
  FieldDifference,
  HealthProblem,
  InitialState,
  LoggerLevel,
  Message,
  OffsetValue,
  PluginInfo,
  ProbeAnswer,
  RowDifference,
  RunningSnapshot,
  ServerInfo,
  SignalRequest,
  SnapshotProgress,
  SnapshotTableProgress,
  SourceTable,
  SourceTables,
  StartVerificationRequest,
  TableSnapshot,
  TaskHealth,
  TaskInfo,
  TaskState,
  TaskStatus,
  TimeToLoss,
  Verification,
  VerificationState,
  VerifiedTable,
  VerifiedTableState,
  WorkerStatus,
} from './entities.ts'
export { ownOperations } from './own-operations.ts'
export type { OwnOperation } from './own-operations.ts'
export { internalRouteNames, routes, supportedRouteNames } from './routes.ts'
export type { InternalRouteName, Route, RouteError, RouteName, SupportedRouteName } from './routes.ts'
export { renderRestReference } from './reference.ts'
export { eventScanLengths } from './events.ts'
export type { EventField, EventsMessage, TopicEvent } from './events.ts'
export { liveIntervalMs } from './live.ts'
export type {
  ConnectorSample,
  LiveConnector,
  LiveNotification,
  LiveStart,
  LiveTask,
  LiveUpdate,
  LogLine,
  LogStart,
  LogUpdate,
  StateChange,
  WorkerSample,
} from './live.ts'
