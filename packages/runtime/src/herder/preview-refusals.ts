import type {
  CaptureContext,
  ConfigMap,
  Converter,
  RecordSchemas,
  Schema,
  SourceConnector,
} from '@tributary/connect-api'
import { CodedError, StoppedError, systemClock, withTimeout } from '@tributary/support'
import { converterSpec } from '../config/worker-config.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { stageSpecs } from '../plugins/stage-spec.ts'

export interface PreviewOptions {
  readonly plugins: Plugins
  /** With their references resolved, as in `config`. */
  readonly workerProperties: ConfigMap
  readonly connector: SourceConnector
  readonly config: ConfigMap
  /** Called for each warning of a converter about its connections. */
  readonly onWarning?: (property: string, warning: CodedError) => void
}

/**
 * Finds the schemas of the current tables that the schema registry would refuse, by the property of the converter: the
 * task would fail at the first such record. That does not prevent the registration of a connector: such a record may
 * never be written, or the subject may allow the schema by then.
 *
 * Transformations may change schemas and topics, so nothing is reported for a connector that has some. Reports nothing
 * about what it cannot find out in time or because a server does not answer: the checks of the
 * connector and the converter report that.
 */
export async function previewRefusals(
  { plugins, workerProperties, connector, config, onWarning }: PreviewOptions,
  context: CaptureContext,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const converters = ROLES.map((property) => ({ property, converter: converterOf(property) }))
  const refusals = new Map<string, string[]>()
  if (stageSpecs('transformation', config).length > 0) return refusals
  if (converters.every(({ converter }) => converter?.checkCompatibility === undefined)) return refusals
  try {
    await withTimeout(systemClock, LIMIT_MS, (signal) => preview({ ...context, signal }), context.signal)
  } catch (error) {
    if (context.signal.aborted || !(error instanceof CodedError || error instanceof StoppedError)) throw error
  }
  for (const { property, converter } of converters) {
    for (const warning of converter?.warnings?.() ?? []) onWarning?.(property, warning)
  }
  return refusals

  function converterOf(property: Role): Converter | null {
    const owner = config[property] === undefined ? workerProperties : config
    const className = owner[property]
    if (className === undefined) return null
    return plugins.converter(converterSpec(property, className, owner), property === 'key.converter')
  }

  async function preview(limited: CaptureContext): Promise<void> {
    for (const schemas of (await connector.capturedSchemas?.(config, limited)) ?? []) {
      for (const { property, converter } of converters) {
        const text = await refusalOf(converter, schemaOf(property, schemas), schemas.topic, limited.signal)
        if (text !== null) refusals.set(property, [...(refusals.get(property) ?? []), text])
      }
    }
  }
}

const ROLES = ['key.converter', 'value.converter'] as const
type Role = (typeof ROLES)[number]

function schemaOf(property: Role, { keySchema, valueSchema }: RecordSchemas): Schema | null {
  return property === 'key.converter' ? keySchema : valueSchema
}

/** Null when the registry would accept the schema. */
async function refusalOf(
  converter: Converter | null,
  schema: Schema | null,
  topic: string,
  signal: AbortSignal,
): Promise<string | null> {
  const answer = (await converter?.checkCompatibility?.(schema, topic, signal)) ?? null
  return answer === null || answer.isAccepted
    ? null
    : `The next record for ${topic} would fail the task. ${answer.text}`
}

/** In addition to the time of the other checks. A REST request may take 90 s in total. */
const LIMIT_MS = 10_000
