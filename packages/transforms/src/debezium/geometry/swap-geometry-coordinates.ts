import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { transformErrors } from '../../errors.ts'
import { withValue } from '../../stage/changed-record.ts'
import { TRANSFORMS_VERSION } from '../../version.ts'
import { valueValidator } from '../value-validator.ts'
import { GeometryEdit } from './geometry-edit.ts'
import { withSwappedCoordinates } from './well-known-bytes.ts'

const areNumbers: Validator = (value) => {
  if (typeof value !== 'string') return null
  const wrong = sridsOf(value).find((srid) => !/^[+-]?\d{1,10}$/.test(srid))
  return wrong === undefined ? null : `'${wrong}' is not the number of a spatial reference system`
}

/** Java's split ignores empty parts at the end. */
function sridsOf(list: string): readonly string[] {
  return list
    .replace(/,+$/, '')
    .split(',')
    .map((srid) => srid.trim())
}

const config = new ConfigDef([
  {
    name: 'srids',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'SRIDs of the geometries whose coordinates are exchanged, separated by commas. Default: 4326, 3857 and 4269.',
    importance: 'LOW',
    width: 'MEDIUM',
    displayName: 'Geometry SRIDs that should be considered for coordinate swapping',
    validators: [valueValidator('srids', areNumbers)],
  },
])

/** Debezium's SwapGeometryCoordinates: exchanges the first two coordinates of geometries. */
class SwapGeometryCoordinates implements Transformation {
  #srids: ReadonlySet<number> = new Set([4326, 3857, 4269])
  readonly #edit = new GeometryEdit((wkb, srid) => this.#swapped(wkb, srid), true)

  configure(options: ConfigMap): void {
    const srids = config.parse(options).optionalString('srids')
    if (srids !== null) this.#srids = new Set(sridsOf(srids).map(Number))
  }

  apply(record: SourceRecord): SourceRecord {
    const { value } = record
    if (!(value instanceof Struct)) return record
    const changed = this.#edit.apply(value)
    return changed === value ? record : withValue(record, record.valueSchema, changed)
  }

  #swapped(wkb: Uint8Array, srid: number | null): Uint8Array {
    if (srid === null || !this.#srids.has(srid)) return wkb
    try {
      return withSwappedCoordinates(wkb)
    } catch (error) {
      if (error instanceof RangeError) throw transformErrors.GEOMETRY_UNREADABLE({ reason: error.message }, error)
      throw error
    }
  }
}

export const swapGeometryCoordinatesPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.SwapGeometryCoordinates',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new SwapGeometryCoordinates(),
}
