/** An operation of the interface, which is that of Kafka Connect 4.3. */
export interface Route {
  /** Path with `{parameters}`, without a slash at its end. The server accepts it with and without one. */
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly summary: string
  /** The status of a successful answer. */
  readonly status: 200 | 201 | 202 | 204
  /** The type of the answer's document; absent if the answer has no body. */
  readonly answer?: string
  /** The errors of this operation, in addition to those of all operations. */
  readonly errors: readonly RouteError[]
}

export interface RouteError {
  readonly status: number
  readonly when: string
}

const unknownConnector: RouteError = { status: 404, when: 'the connector is unknown' }
const unknownVerification: RouteError = {
  status: 404,
  when: 'the worker that runs the connector has no such comparison',
}
/** Of requests that another worker must have signed with the session key of the group. */
const signatureErrors: readonly RouteError[] = [
  { status: 400, when: 'the request is not signed, or with an algorithm that this worker does not accept' },
  { status: 403, when: 'its signature is wrong' },
  { status: 503, when: 'this worker has not read a session key yet' },
]
const badDocument: RouteError = { status: 500, when: 'the body is not the expected JSON document' }

const connector = '/connectors/{connector}'

/** Operations for users. */
export const supportedRouteNames = [
  'getServerInfo',
  'getHealth',
  'listConnectors',
  'createConnector',
  'getConnector',
  'deleteConnector',
  'getConnectorConfig',
  'putConnectorConfig',
  'patchConnectorConfig',
  'getConnectorStatus',
  'getTasks',
  'getTaskStatus',
  'pauseConnector',
  'resumeConnector',
  'stopConnector',
  'restartConnector',
  'restartTask',
  'getTopics',
  'resetTopics',
  'getOffsets',
  'alterOffsets',
  'deleteOffsets',
  'listPlugins',
  'getPluginConfig',
  'validateConfig',
  'listSourceTables',
  'listLoggers',
  'getLogger',
  'putLogger',
  'listVerifications',
  'startVerification',
  'getVerification',
  'deleteVerification',
  'sendSignal',
] as const

/** Operations that the workers of a group execute for each other. Their requests are signed. */
export const internalRouteNames = ['putTaskConfigs', 'fenceTasks'] as const

export type SupportedRouteName = (typeof supportedRouteNames)[number]
export type InternalRouteName = (typeof internalRouteNames)[number]
export type RouteName = SupportedRouteName | InternalRouteName

/** All operations. Internal ones are for the other workers of the group, not for users. */
export const routes: Readonly<Record<RouteName, Route>> = {
  getServerInfo: {
    path: '/',
    method: 'GET',
    summary: 'Version of the service and identifier of the Kafka cluster',
    status: 200,
    answer: 'ServerInfo',
    errors: [],
  },
  getHealth: {
    path: '/health',
    method: 'GET',
    summary: 'Whether the worker has started and can handle requests',
    status: 200,
    answer: 'WorkerStatus',
    errors: [
      { status: 503, when: 'the worker is still starting' },
      { status: 500, when: 'the worker cannot handle requests' },
    ],
  },
  listConnectors: {
    path: '/connectors',
    method: 'GET',
    summary: 'Names of the connectors; with `expand=status` and `expand=info` their documents by name',
    status: 200,
    answer: 'string[], or Record<string, ExpandedConnector>',
    errors: [],
  },
  createConnector: {
    path: '/connectors',
    method: 'POST',
    summary: 'Registers a connector and starts it',
    status: 201,
    answer: 'ConnectorInfo',
    errors: [
      { status: 400, when: 'the configuration is invalid, or names another connector' },
      { status: 409, when: 'a connector of this name exists' },
      badDocument,
    ],
  },
  getConnector: {
    path: connector,
    method: 'GET',
    summary: 'A connector with its configuration and tasks',
    status: 200,
    answer: 'ConnectorInfo',
    errors: [unknownConnector],
  },
  deleteConnector: {
    path: connector,
    method: 'DELETE',
    summary: 'Stops a connector and removes it; its offsets are kept',
    status: 204,
    errors: [unknownConnector],
  },
  getConnectorConfig: {
    path: `${connector}/config`,
    method: 'GET',
    summary: 'Configuration of a connector',
    status: 200,
    answer: 'Record<string, string>',
    errors: [unknownConnector],
  },
  putConnectorConfig: {
    path: `${connector}/config`,
    method: 'PUT',
    summary: 'Replaces the configuration of a connector, or registers it (201)',
    status: 200,
    answer: 'ConnectorInfo',
    errors: [{ status: 400, when: 'the configuration is invalid, or names another connector' }, badDocument],
  },
  patchConnectorConfig: {
    path: `${connector}/config`,
    method: 'PATCH',
    summary: 'Changes single properties of the configuration; null removes one',
    status: 200,
    answer: 'ConnectorInfo',
    errors: [unknownConnector, { status: 400, when: 'the configuration is invalid' }, badDocument],
  },
  getConnectorStatus: {
    path: `${connector}/status`,
    method: 'GET',
    summary: 'State of a connector and of its tasks, with the traces of failures',
    status: 200,
    answer: 'ConnectorStateInfo',
    errors: [{ status: 404, when: 'no worker has reported a status yet, or the connector is unknown' }],
  },
  getTasks: {
    path: `${connector}/tasks`,
    method: 'GET',
    summary: 'Tasks of a connector with their configurations',
    status: 200,
    answer: 'TaskInfo[]',
    errors: [unknownConnector],
  },
  putTaskConfigs: {
    path: `${connector}/tasks`,
    method: 'POST',
    summary: 'Internal: task configurations from the worker that runs the connector',
    status: 204,
    errors: signatureErrors,
  },
  getTaskStatus: {
    path: `${connector}/tasks/{task}/status`,
    method: 'GET',
    summary: 'State of a task',
    status: 200,
    answer: 'TaskStatus',
    errors: [{ status: 404, when: 'the task has no status, or its number is not a 32-bit integer' }],
  },
  restartTask: {
    path: `${connector}/tasks/{task}/restart`,
    method: 'POST',
    summary: 'Restarts a task',
    status: 204,
    errors: [{ status: 404, when: 'the connector or the task is unknown' }],
  },
  restartConnector: {
    path: `${connector}/restart`,
    method: 'POST',
    summary:
      'Restarts a connector; with `includeTasks=true` also its tasks, with `onlyFailed=true` only those that have failed (202, ConnectorStateInfo)',
    status: 204,
    errors: [unknownConnector],
  },
  pauseConnector: {
    path: `${connector}/pause`,
    method: 'PUT',
    summary: 'Pauses a connector and its tasks; its status shows when they are paused',
    status: 202,
    errors: [unknownConnector],
  },
  resumeConnector: {
    path: `${connector}/resume`,
    method: 'PUT',
    summary: 'Resumes a paused or stopped connector',
    status: 202,
    errors: [unknownConnector],
  },
  stopConnector: {
    path: `${connector}/stop`,
    method: 'PUT',
    summary: 'Stops a connector: its tasks end and are removed, its configuration and offsets are kept',
    status: 204,
    errors: [unknownConnector],
  },
  fenceTasks: {
    path: `${connector}/fence`,
    method: 'PUT',
    summary: 'Internal: fences out former tasks of the connector',
    status: 204,
    errors: signatureErrors,
  },
  getTopics: {
    path: `${connector}/topics`,
    method: 'GET',
    summary: 'Topics that a connector has written to',
    status: 200,
    answer: 'ConnectorTopics',
    errors: [{ status: 403, when: 'topics are not recorded (`topic.tracking.enable=false`)' }],
  },
  resetTopics: {
    path: `${connector}/topics/reset`,
    method: 'PUT',
    summary: 'Resets the recorded topics of a connector',
    status: 202,
    errors: [{ status: 403, when: 'the worker does not allow it (`topic.tracking.allow.reset=false`)' }],
  },
  getOffsets: {
    path: `${connector}/offsets`,
    method: 'GET',
    summary: 'Stored offsets of a connector, whatever its state',
    status: 200,
    answer: 'ConnectorOffsets',
    errors: [unknownConnector],
  },
  alterOffsets: {
    path: `${connector}/offsets`,
    method: 'PATCH',
    summary:
      'Changes stored offsets of a stopped connector, `{"offsets": [{"partition": {…}, "offset": {…}}]}`; null removes one',
    status: 200,
    answer: 'Message',
    errors: [
      unknownConnector,
      { status: 400, when: 'the connector is not stopped, or the list of offsets is empty' },
      badDocument,
    ],
  },
  deleteOffsets: {
    path: `${connector}/offsets`,
    method: 'DELETE',
    summary: 'Removes all stored offsets of a stopped connector, which then starts from the beginning',
    status: 200,
    answer: 'Message',
    errors: [unknownConnector, { status: 400, when: 'the connector is not stopped' }],
  },
  listPlugins: {
    path: '/connector-plugins',
    method: 'GET',
    summary: 'Connectors that can be registered; with `connectorsOnly=false` all plug-ins',
    status: 200,
    answer: 'PluginInfo[]',
    errors: [],
  },
  getPluginConfig: {
    path: '/connector-plugins/{plugin}/config',
    method: 'GET',
    summary: 'Definitions of the configuration properties of a plug-in',
    status: 200,
    answer: 'ConfigKeyInfo[]',
    errors: [{ status: 404, when: 'the plug-in is unknown' }],
  },
  validateConfig: {
    path: '/connector-plugins/{plugin}/config/validate',
    method: 'PUT',
    summary:
      'Validates a connector configuration without registering it; the document contains the errors. With `warnings=true`, which Kafka Connect does not have, it also contains possible trouble: `warnings`, an array of `ConfigWarning`',
    status: 200,
    answer: 'ConfigInfos',
    errors: [
      { status: 400, when: 'the configuration is for another plug-in' },
      { status: 500, when: 'the configuration names no class, or an unknown one' },
      badDocument,
    ],
  },
  listSourceTables: {
    path: '/connector-plugins/{plugin}/config/tables',
    method: 'PUT',
    summary:
      'Own operation: the tables that the server of a configuration lists for its user, with estimates of rows and bytes. The configuration needs what a login needs',
    status: 200,
    answer: 'SourceTables',
    errors: [
      { status: 400, when: 'the configuration is for another plug-in' },
      { status: 500, when: 'the server cannot be asked' },
      badDocument,
    ],
  },
  listLoggers: {
    path: '/admin/loggers',
    method: 'GET',
    summary: 'Loggers with their levels',
    status: 200,
    answer: 'Record<string, LoggerLevel>',
    errors: [],
  },
  getLogger: {
    path: '/admin/loggers/{logger}',
    method: 'GET',
    summary: 'Level of a logger',
    status: 200,
    answer: 'LoggerLevel',
    errors: [{ status: 404, when: 'the logger is unknown' }],
  },
  putLogger: {
    path: '/admin/loggers/{logger}',
    method: 'PUT',
    summary:
      'Sets the level of a logger and of those below it, `{"level": "DEBUG"}`; the answer lists the changed loggers. With `scope=cluster` on all workers of the group (204, no body)',
    status: 200,
    answer: 'string[]',
    errors: [
      { status: 400, when: 'the body names no level' },
      { status: 404, when: 'there is no such level' },
      badDocument,
    ],
  },
  listVerifications: {
    path: `${connector}/verifications`,
    method: 'GET',
    summary: 'Own operation: comparisons of the tables of a connector with their topics, the latest first',
    status: 200,
    answer: 'Verification[]',
    errors: [unknownConnector],
  },
  startVerification: {
    path: `${connector}/verifications`,
    method: 'POST',
    summary:
      'Own operation: starts a comparison, `{"tables": ["database.table"], "rate": 10000}`; both members are optional',
    status: 201,
    answer: 'Verification',
    errors: [
      unknownConnector,
      { status: 400, when: 'a member of the body is unknown or has another type' },
      { status: 409, when: 'a comparison of the connector is running, or two others are' },
      badDocument,
    ],
  },
  getVerification: {
    path: `${connector}/verifications/{verification}`,
    method: 'GET',
    summary: 'Own operation: progress and result of a comparison, table by table',
    status: 200,
    answer: 'Verification',
    errors: [unknownVerification],
  },
  deleteVerification: {
    path: `${connector}/verifications/{verification}`,
    method: 'DELETE',
    summary: 'Own operation: cancels a comparison that is running, or forgets one that has ended',
    status: 204,
    errors: [unknownVerification],
  },
  sendSignal: {
    path: `${connector}/signals`,
    method: 'POST',
    summary:
      'Own operation: sends [a signal](../26-signals.md) to the connector, `{"id": "copy-1", "type": "execute-snapshot", "data": {"data-collections": ["shop.customers"]}}`. It answers when the effect is stored. A signal with the id of one of the last 16 is not run again',
    status: 202,
    answer: 'AcceptedSignal',
    errors: [
      unknownConnector,
      { status: 400, when: 'the body is no signal, its type is unknown, or its data cannot be run' },
      { status: 409, when: 'the task does not run, or takes its initial snapshot; nothing has happened' },
      { status: 503, when: 'the effect was not stored in time: repeat the request with the same id' },
    ],
  },
}
