import { readsAvro, readsJson, type RecordReader } from '../measure/record-reader.ts'
import type { Rig } from '../rig/rig.ts'

/** How all systems of a row write their records, and how the checks read them. */
export interface RecordFormat {
  /** Properties of the converters. */
  readonly connector: Readonly<Record<string, string>>
  readonly read: RecordReader
}

/** The converters of the workers, or those of the row. */
export const jsonFormat: RecordFormat = { connector: {}, read: readsJson }

/** All systems have the same configuration: Apicurio's converter and the native interface of one registry. */
export async function avroFormat(rig: Rig): Promise<RecordFormat> {
  const registry = await rig.registry()
  const url = `${registry.url}/apis/registry/v3`
  const options = { '': APICURIO, '.apicurio.registry.url': url, '.apicurio.registry.auto-register': 'true' }
  const ofPart = (part: string): readonly (readonly [string, string])[] =>
    Object.entries(options).map(([name, value]) => [`${part}.converter${name}`, value] as const)
  return { connector: Object.fromEntries([...ofPart('key'), ...ofPart('value')]), read: readsAvro(url) }
}

const APICURIO = 'io.apicurio.registry.utils.converter.AvroConverter'
