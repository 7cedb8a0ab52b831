import { apis } from '../protocol/apis.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { Handler } from './call.ts'

const GROUP = 0
const TRANSACTION = 1

/** First version with several keys. */
const SEVERAL_FROM = 4

export const findCoordinator: Handler<'FindCoordinator'> = (request, { state, version }, answer) => {
  const { nodeId, host, port } = state.settings
  const isKnownType = request.keyType === GROUP || request.keyType === TRANSACTION
  const here = { nodeId, host, port, errorCode: ErrorCode.NONE, errorMessage: '' }
  const none = { nodeId: -1, host: '', port: -1, errorCode: ErrorCode.INVALID_REQUEST, errorMessage: '' }
  const found = isKnownType ? here : none
  if (version < SEVERAL_FROM) answer(found)
  else answer({ coordinators: request.coordinatorKeys.map((key) => ({ key, ...found })) })
}

/** The versions that the broker offers. librdkafka needs Produce 0 to be listed (KAFKA-18659). */
export const offeredVersions: readonly {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
}[] = Array.from(apis.values(), ({ key, name, versionMin, versionMax }) => ({
  apiKey: key,
  minVersion: name === 'Produce' ? 0 : versionMin,
  maxVersion: versionMax,
}))

export const apiVersions: Handler<'ApiVersions'> = (_, __, answer) => {
  answer({ errorCode: ErrorCode.NONE, apiKeys: offeredVersions })
}

/** Logins are a matter of the connection (shell), before the first other request. */
export const saslHandshake: Handler<'SaslHandshake'> = (_, __, answer) => {
  answer({ errorCode: ErrorCode.ILLEGAL_SASL_STATE, mechanisms: [] })
}

export const saslAuthenticate: Handler<'SaslAuthenticate'> = (_, __, answer) => {
  answer({ errorCode: ErrorCode.ILLEGAL_SASL_STATE, errorMessage: 'This connection has no login in progress.' })
}

const NO_AUTHORIZER = {
  errorCode: ErrorCode.SECURITY_DISABLED,
  errorMessage: 'No Authorizer is configured on the broker',
}

export const describeAcls: Handler<'DescribeAcls'> = (_, __, answer) => answer(NO_AUTHORIZER)

export const createAcls: Handler<'CreateAcls'> = ({ creations }, _, answer) =>
  answer({ results: creations.map(() => NO_AUTHORIZER) })

export const deleteAcls: Handler<'DeleteAcls'> = ({ filters }, _, answer) =>
  answer({ filterResults: filters.map(() => NO_AUTHORIZER) })

export const describeLogDirs: Handler<'DescribeLogDirs'> = ({ topics }, { state }, answer) => {
  const wanted = topics === null ? null : new Map(topics.map(({ topic, partitions }) => [topic, partitions]))
  const described = Array.from(state.topics.all).flatMap(({ name, partitions }) => {
    if (wanted !== null && !wanted.has(name)) return []
    const indexes = wanted?.get(name) ?? [...partitions.keys()]
    const sizes = indexes.flatMap((partitionIndex) => {
      const log = partitions[partitionIndex]
      return log === undefined ? [] : [{ partitionIndex, partitionSize: BigInt(log.bytes), offsetLag: 0n }]
    })
    return [{ name, partitions: sizes }]
  })
  answer({ errorCode: ErrorCode.NONE, results: [{ errorCode: ErrorCode.NONE, logDir: 'broker', topics: described }] })
}
