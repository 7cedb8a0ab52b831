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

export interface PreviewOptions {
  readonly plugins: Plugins
  /** With their references resolved, as `config`. */
  readonly workerProperties: ConfigMap
  readonly connector: SourceConnector
  readonly config: ConfigMap
}

/**
 * What a schema registry will refuse of the tables as they are now, by the property of the converter: the task would fail at the first
 * such record. It is no reason not to register a connector: the records may never come, or the subject may allow them until then.
 *
 * What cannot be found out in time, or because somebody does not answer, is not told: the checks of source and converter tell that.
 */
export async function previewRefusals(
  { plugins, workerProperties, connector, config }: PreviewOptions,
  context: CaptureContext,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const converters = ROLES.map((property) => ({ property, converter: converterOf(property) }))
  const refusals = new Map<string, string[]>()
  if (converters.every(({ converter }) => converter?.checkCompatibility === undefined)) return refusals
  try {
    await withTimeout(systemClock, LIMIT_MS, (signal) => look({ ...context, signal }), context.signal)
  } catch (error) {
    if (context.signal.aborted || !(error instanceof CodedError || error instanceof StoppedError)) throw error
  }
  return refusals

  function converterOf(property: Role): Converter | null {
    const owner = config[property] === undefined ? workerProperties : config
    const className = owner[property]
    if (className === undefined) return null
    return plugins.converter(converterSpec(property, className, owner), property === 'key.converter')
  }

  async function look(limited: CaptureContext): Promise<void> {
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

/** Null: it is accepted. */
async function refusalOf(
  converter: Converter | null,
  schema: Schema | null,
  topic: string,
  signal: AbortSignal,
): Promise<string | null> {
  const preview = (await converter?.checkCompatibility?.(schema, topic, signal)) ?? null
  return preview === null || preview.isAccepted
    ? null
    : `The next record for ${topic} would fail the task. ${preview.text}`
}

/** Beside what the other checks take; a client of REST waits for 90 s. */
const LIMIT_MS = 10_000
