import type { SeededRandom } from '@tributary/testkit'
import type { TypeFamily, TypeValues } from './type-family.ts'

/** Types of which each server has its own. */
export function ownFamilies(flavor: 'mysql' | 'mariadb'): readonly TypeFamily[] {
  const spatial = { name: 'geometries', types: SPATIAL_NAMES.map(spatialType) }
  return flavor === 'mysql'
    ? [
        { ...spatial, types: [...spatial.types, ...GEODETIC] },
        { name: 'vectors', types: VECTORS },
      ]
    : [spatial, { name: 'identities', types: IDENTITIES }, { name: 'packed', types: COMPRESSED }]
}

const SPATIAL_NAMES = [
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
  'GEOMETRY',
] as const

type SpatialName = (typeof SPATIAL_NAMES)[number]

const TEXTS: Readonly<Record<Exclude<SpatialName, 'GEOMETRY'>, readonly string[]>> = {
  POINT: ['POINT(0 0)', 'POINT(1 -2.5)', 'POINT(1e300 -1e-300)', 'POINT(-0.1 123456789.123456789)'],
  LINESTRING: ['LINESTRING(0 0,1 1,2 0.5)', 'LINESTRING(-1 -1,1e10 1e-10)'],
  POLYGON: ['POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,4 2,4 4,2 2))', 'POLYGON((0 0,1 0,1 1,0 0))'],
  MULTIPOINT: ['MULTIPOINT(0 0,1 1)', 'MULTIPOINT(3 4)'],
  MULTILINESTRING: ['MULTILINESTRING((0 0,1 1),(2 2,3 3))'],
  MULTIPOLYGON: ['MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))'],
  GEOMETRYCOLLECTION: [
    'GEOMETRYCOLLECTION EMPTY',
    'GEOMETRYCOLLECTION(POINT(1 1))',
    'GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1),POLYGON((0 0,1 0,1 1,0 0)),MULTIPOINT(0 0,1 1))',
    'GEOMETRYCOLLECTION(MULTILINESTRING((0 0,1 1)),MULTIPOLYGON(((0 0,1 0,1 1,0 0))),GEOMETRYCOLLECTION(POINT(5 6)))',
  ],
}

function spatialType(name: SpatialName): TypeValues {
  const texts = name === 'GEOMETRY' ? Object.values(TEXTS).flat() : TEXTS[name]
  return {
    type: name,
    values: texts.flatMap((text) => [`ST_GeomFromText('${text}')`, `ST_GeomFromText('${text}', 3857)`]),
    draw: (random) => drawGeometry(random, name),
  }
}

function drawGeometry(random: SeededRandom, name: SpatialName): string {
  const point = (): string => `${coordinate(random)} ${coordinate(random)}`
  const line = (): string => Array.from({ length: random.integer(2, 6) }, point).join(',')
  const shape = (): string => {
    const [x, y, size] = [random.integer(-99, 99), random.integer(-99, 99), random.integer(1, 9)]
    return `((${x} ${y},${x + size} ${y},${x + size} ${y + size},${x} ${y}))`
  }
  const some = (one: () => string): string => Array.from({ length: random.integer(1, 4) }, one).join(',')
  const texts: Readonly<Record<Exclude<SpatialName, 'GEOMETRY' | 'GEOMETRYCOLLECTION'>, () => string>> = {
    POINT: () => `POINT(${point()})`,
    LINESTRING: () => `LINESTRING(${line()})`,
    POLYGON: () => `POLYGON${shape()}`,
    MULTIPOINT: () => `MULTIPOINT(${some(point)})`,
    MULTILINESTRING: () => `MULTILINESTRING(${some(() => `(${line()})`)})`,
    MULTIPOLYGON: () => `MULTIPOLYGON(${some(shape)})`,
  }
  const any = (): string => random.pick(Object.values(texts))()
  const collection = (): string => `GEOMETRYCOLLECTION(${some(any)})`
  const draw = name === 'GEOMETRYCOLLECTION' ? collection : name === 'GEOMETRY' ? any : texts[name]
  return `ST_GeomFromText('${draw()}', ${random.pick(['0', '3857'])})`
}

function coordinate(random: SeededRandom): string {
  return String((random() - 0.5) * 10 ** random.integer(-5, 10))
}

/** Geographic reference systems, in which MySQL reads latitude before longitude. */
const GEODETIC: readonly TypeValues[] = [
  {
    type: 'POINT SRID 4326',
    values: ["ST_GeomFromText('POINT(48.85 2.35)', 4326)", "ST_GeomFromText('POINT(-90 180)', 4326)"],
    draw: (random) => `ST_GeomFromText('POINT(${random() * 180 - 90} ${random() * 360 - 180})', 4326)`,
  },
  {
    type: 'GEOMCOLLECTION SRID 4326',
    values: ["ST_GeomFromText('GEOMETRYCOLLECTION(POINT(48.85 2.35))', 4326)"],
    draw: () => "ST_GeomFromText('GEOMETRYCOLLECTION(LINESTRING(1 2,3 4))', 4326)",
  },
]

const VECTORS: readonly TypeValues[] = [
  {
    type: 'VECTOR(3)',
    values: ["TO_VECTOR('[1,2.5,-3]')", "TO_VECTOR('[0.1]')", "TO_VECTOR('[3.4e37,-1e-37,16777217]')"],
    draw: (random) => drawVector(random, 3),
  },
  { type: 'VECTOR', values: ["TO_VECTOR('[0]')"], draw: (random) => drawVector(random, random.integer(1, 40)) },
  {
    type: 'VECTOR(16383)',
    values: [`TO_VECTOR(CONCAT('[', REPEAT('0.5,', 16382), '-1]'))`],
    draw: (random) => drawVector(random, 300),
  },
]

function drawVector(random: SeededRandom, dimensions: number): string {
  const numbers = Array.from({ length: dimensions }, () => (random() - 0.5) * 10 ** random.integer(-30, 30))
  return `TO_VECTOR('[${numbers.join(',')}]')`
}

const IDENTITIES: readonly TypeValues[] = [
  {
    type: 'UUID',
    values: [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      // Versions 1 to 8, among them those whose bytes MariaDB sorts in another order, and zero bytes at the ends.
      ...Array.from({ length: 8 }, (_, i) => `6ba7b810-9dad-${i + 1}1d1-80b4-00c04fd430c8`),
      '123e4567-e89b-12d3-a456-426655440000',
      '00000000-e89b-12d3-a456-426600000000',
      '12345678-0000-0000-0000-000000000000',
      '00000000-0000-0000-8000-000000000000',
    ].map((text) => `'${text}'`),
    draw: (random) => `'${random.bytes(16).toString('hex')}'`,
  },
  {
    type: 'INET4',
    values: ['0.0.0.0', '255.255.255.255', '192.168.0.1', '10.0.0.0', '0.0.0.1'].map((text) => `'${text}'`),
    draw: (random) => `'${random.bytes(4).join('.')}'`,
  },
  {
    type: 'INET6',
    values: [
      '::',
      '::1',
      '1::',
      '2001:db8::ff00:42:8329',
      '::ffff:192.168.0.1',
      '::192.168.0.1',
      '1:0:0:2:0:0:0:3',
      '1:0:2:0:3:0:4:0',
      '0:1:0:1:0:1:0:1',
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '::ffff:0:1',
      '64:ff9b::1.2.3.4',
      '::ffff:0.0.0.0',
      '::0.1.0.0',
      '1:2:3:4:5:6:7:0',
      '0:2:3:4:5:6:7:8',
      '::ffff:0:0:0',
      '1:2:3:4:5:6:0:0',
    ].map((text) => `'${text}'`),
    draw: (random) => `'${drawInet6(random)}'`,
  },
]

/** Half of the groups are zero. */
function drawInet6(random: SeededRandom): string {
  const groups = Array.from({ length: 8 }, () =>
    random() < 0.5 ? 0 : random.pick([1, 0xffff, random.integer(0, 65536)]),
  )
  return groups.map((group) => group.toString(16)).join(':')
}

const COMPRESSED: readonly TypeValues[] = [
  ...['VARCHAR(500)', 'TINYTEXT', 'TEXT', 'MEDIUMTEXT', 'LONGTEXT'].flatMap((type) =>
    ['utf8mb4', 'latin1'].map((charset) => compressedText(`${type} COMPRESSED CHARACTER SET ${charset}`)),
  ),
  ...['VARBINARY(500)', 'VARBINARY(200)', 'TINYBLOB', 'BLOB', 'MEDIUMBLOB', 'LONGBLOB'].map((type) =>
    compressedBytes(`${type} COMPRESSED`),
  ),
]

function compressedText(type: string): TypeValues {
  const size = type.startsWith('TINY') ? 50 : 400
  return {
    type,
    values: [
      "''",
      "'a'",
      `REPEAT('a', ${size})`,
      `REPEAT(CONVERT(X'C3A9' USING utf8mb4), ${size / 2})`,
      `REPEAT(' ', 99)`,
    ],
    draw: (random) => `REPEAT('${random.bytes(4).toString('hex')}', ${random.integer(0, size / 8)})`,
  }
}

function compressedBytes(type: string): TypeValues {
  const size = /TINY|200/.test(type) ? 50 : 400
  return {
    type,
    values: ["''", "X'00'", `REPEAT(X'00', ${size})`, `REPEAT(X'00FF', ${size / 2})`, "X'80'"],
    draw: (random) => `REPEAT(X'${random.bytes(3).toString('hex')}', ${random.integer(0, size / 4)})`,
  }
}
