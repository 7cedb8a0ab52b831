import { test } from 'node:test'
import { assertSameOutcome, recordedCases } from '../../testing/oracle-cases.ts'
import { vectorToJsonConverterPlugin } from '../vector-to-json-converter.ts'
import { geometryFormatTransformerPlugin } from './geometry-format-transformer.ts'
import { swapGeometryCoordinatesPlugin } from './swap-geometry-coordinates.ts'

const plugins = [geometryFormatTransformerPlugin, swapGeometryCoordinatesPlugin, vectorToJsonConverterPlugin]

/** What Debezium 3.6.1 does: fixtures/cases/geometry-and-vectors.ts. */
const cases = recordedCases('geometry-and-vectors')
const deviations = {
  'srids x': 'our text names the option',
  'srids ': 'our text names the option',
  'unlike: swap mixed orders': 'Debezium writes members in the byte order of the whole, and marks them with their own',
  'unlike: format after extended': 'Debezium converts nothing to EWKB after the first EWKB that it has seen',
}

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins, deviations })
  })
}
