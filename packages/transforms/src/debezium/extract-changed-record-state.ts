import {
  ConfigDef,
  type ConfigMap,
  type Header,
  Schema,
  Schemas,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withHeaders } from '../stage/changed-record.ts'
import { isSameValue } from '../stage/same-value.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { envelopeOf } from './envelope.ts'

const config = new ConfigDef([
  {
    name: 'header.changed.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Header with the names of the columns that an update has changed. Default: no header.',
    importance: 'LOW',
    width: 'LONG',
    displayName: 'Header change name.',
  },
  {
    name: 'header.unchanged.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Header with the names of the columns that an update has not changed. Default: no header.',
    importance: 'LOW',
    width: 'LONG',
    displayName: 'Header unchanged name.',
  },
])

interface NamesHeader {
  readonly key: string
  readonly schema: Schema
}

/**
 * Debezium's ExtractChangedRecordState: lists the changed columns of an update in a header. Other events have empty
 * lists.
 */
class ExtractChangedRecordState implements Transformation {
  #changed: NamesHeader | null = null
  #unchanged: NamesHeader | null = null

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#changed = namesHeader(values.optionalString('header.changed.name'))
    this.#unchanged = namesHeader(values.optionalString('header.unchanged.name'))
  }

  apply(record: SourceRecord): SourceRecord {
    const event = envelopeOf(record)
    if (event === null || (this.#changed === null && this.#unchanged === null)) return record
    const [changed, unchanged] = compareImages(event)
    const added: Header[] = []
    if (this.#changed !== null) added.push({ ...this.#changed, value: changed })
    if (this.#unchanged !== null) added.push({ ...this.#unchanged, value: unchanged })
    return withHeaders(record, [...record.headers, ...added])
  }
}

function namesHeader(name: string | null): NamesHeader | null {
  if (name === null || name === '') return null
  return { key: name, schema: Schema.array(Schemas.optionalString, { optional: true, name }) }
}

function compareImages(event: Struct): readonly [changed: string[], unchanged: string[]] {
  const [before, after] = ['before', 'after'].map((name) => {
    const field = event.schema.field(name)
    if (field === null) throw transformErrors.NOT_A_FIELD({ name })
    return event.at(field.index)
  })
  const changed: string[] = []
  const unchanged: string[] = []
  if (!(before instanceof Struct) || !(after instanceof Struct)) return [changed, unchanged]
  for (const { name, index } of after.schema.fields) {
    // Both images have the same schema in events of the connector; others may differ.
    const other = before.schema === after.schema ? index : before.schema.field(name)?.index
    if (other === undefined) throw transformErrors.NOT_A_FIELD({ name })
    const list = isSameValue(after.at(index), before.at(other)) ? unchanged : changed
    list.push(name)
  }
  return [changed, unchanged]
}

export const extractChangedRecordStatePlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ExtractChangedRecordState',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new ExtractChangedRecordState(),
}
