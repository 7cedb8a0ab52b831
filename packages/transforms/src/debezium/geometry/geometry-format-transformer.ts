import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../../errors.ts'
import { withValue } from '../../stage/changed-record.ts'
import { enumValidator } from '../../stage/enum-option.ts'
import { TRANSFORMS_VERSION } from '../../version.ts'
import { valueValidator } from '../value-validator.ts'
import { GeometryEdit } from './geometry-edit.ts'
import { isExtended, withoutSrid, withSrid } from './well-known-bytes.ts'

const config = new ConfigDef([
  {
    name: 'format',
    type: 'STRING',
    defaultValue: 'wkb',
    documentation:
      'The format that geometries have before: `wkb`: they become EWKB, which contains the SRID. `ewkb`: they become WKB. Geometries that are EWKB become WKB with either value.',
    importance: 'LOW',
    width: 'MEDIUM',
    displayName: 'Target Format',
    validators: [valueValidator('format', enumValidator(['ewkb', 'wkb']))],
  },
])

/** Debezium's GeometryFormatTransformer: converts geometries between WKB and EWKB. */
class GeometryFormatTransformer implements Transformation {
  #isFromWkb = true
  readonly #edit = new GeometryEdit((wkb, srid) => this.#converted(wkb, srid), false)

  configure(options: ConfigMap): void {
    this.#isFromWkb = config.parse(options).string('format').toLowerCase() === 'wkb'
  }

  apply(record: SourceRecord): SourceRecord {
    const { value } = record
    if (!(value instanceof Struct)) return record
    const changed = this.#edit.apply(value)
    return changed === value ? record : withValue(record, record.valueSchema, changed)
  }

  #converted(wkb: Uint8Array, srid: number | null): Uint8Array {
    if (isExtended(wkb)) return withoutSrid(wkb)
    if (!this.#isFromWkb) return wkb
    if (srid === null) throw transformErrors.GEOMETRY_WITHOUT_SRID({})
    try {
      return withSrid(wkb, srid)
    } catch (error) {
      throw transformErrors.GEOMETRY_UNREADABLE({ reason: 'it has fewer than 5 bytes' }, error)
    }
  }
}

export const geometryFormatTransformerPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.GeometryFormatTransformer',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new GeometryFormatTransformer(),
}
