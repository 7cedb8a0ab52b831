import type { SeededRandom } from '@tributary/testkit'
import { ownFamilies } from './own-type-values.ts'
import type { TypeFamily, TypeValues } from './type-family.ts'

export function typeFamilies(flavor: 'mysql' | 'mariadb'): readonly TypeFamily[] {
  return [
    { name: 'integers', types: INTEGERS.flatMap(([type, bits]) => integers(type, bits)) },
    { name: 'decimals', types: DECIMALS.map(([precision, scale]) => decimals(precision, scale)) },
    { name: 'floats', types: FLOATS },
    { name: 'bits', types: [1, 2, 7, 8, 9, 31, 33, 63, 64].map(bits) },
    { name: 'dates', types: [DATE, YEAR, ...DIGITS.flatMap((digits) => [datetime(digits), time(digits)])] },
    { name: 'timestamps', types: DIGITS.map(timestamp) },
    { name: 'texts', types: TEXTS.map(([type, charset]) => text(type, charset)) },
    { name: 'bytes', types: BYTES.map(bytes) },
    { name: 'members', types: MEMBERS },
    { name: 'json', types: [flavor === 'mysql' ? JSON_DOCUMENTS : JSON_TEXT] },
    ...ownFamilies(flavor),
  ]
}

const INTEGERS = [
  ['TINYINT', 8],
  ['SMALLINT', 16],
  ['MEDIUMINT', 24],
  ['INT', 32],
  ['BIGINT', 64],
] as const

function integers(type: string, bitCount: number): TypeValues[] {
  const half = 2n ** BigInt(bitCount - 1)
  const anyOf = (random: SeededRandom): bigint => BigInt.asUintN(bitCount, random.bytes(8).readBigUInt64LE())
  return [
    {
      type,
      values: [`-${half}`, `${half - 1n}`, '0', '-1', '1', '-9007199254740993'.slice(0, bitCount === 64 ? 99 : 2)],
      draw: (random) => String(BigInt.asIntN(bitCount, anyOf(random))),
    },
    {
      type: `${type} UNSIGNED`,
      values: ['0', '1', `${half - 1n}`, `${half}`, `${half * 2n - 1n}`],
      draw: (random) => String(anyOf(random)),
    },
    { type: `${type}(9) ZEROFILL`, values: ['0', '7', `${half * 2n - 1n}`], draw: (random) => String(anyOf(random)) },
  ]
}

const DECIMALS = [
  [1, 0],
  [1, 1],
  [9, 0],
  [9, 9],
  [10, 1],
  [18, 9],
  [19, 10],
  [30, 29],
  [38, 18],
  [65, 0],
  [65, 30],
] as const

function decimals(precision: number, scale: number): TypeValues {
  const literal = (digits: string): string => `${digits.slice(0, precision - scale)}.${digits.slice(precision - scale)}`
  const nines = literal('9'.repeat(precision))
  const one = literal('1'.padStart(precision, '0'))
  return {
    type: `DECIMAL(${precision},${scale})`,
    values: [nines, `-${nines}`, '0', one, `-${one}`, literal('1'.padEnd(precision, '0'))],
    draw: (random) => {
      const digits = Array.from({ length: precision }, () => random.integer(0, 10)).join('')
      // Also short numbers: MySQL stores each group of nine digits in 4 bytes, and shorter groups in fewer.
      const shown = digits.slice(random.integer(0, precision)).padStart(precision, '0')
      return random.pick(['', '-']) + literal(shown)
    },
  }
}

const drawDouble = (largest: number) => (random: SeededRandom) =>
  `${random.pick(['', '-'])}${random() * 10}e${random.integer(-largest, largest)}`

const FLOATS: readonly TypeValues[] = [
  {
    type: 'FLOAT',
    values: '0 -0e0 1 0.1 -1.17549435e-38 3.40282347e38 16777217 0.3333333 123456.789 1e-45'.split(' '),
    draw: drawDouble(36),
  },
  { type: 'FLOAT(12,3)', values: ['0', '-0.001', '123456.789'], draw: (random) => (random() * 1e6).toFixed(3) },
  {
    type: 'DOUBLE',
    values: '0 -0e0 0.1 1e300 -2.2250738585072014e-308 1.7976931348623157e308 9007199254740993 5e-324 1e21 1e-7'.split(
      ' ',
    ),
    draw: drawDouble(300),
  },
  { type: 'DOUBLE(20,4)', values: ['0', '-0.0001', '99999.9999'], draw: (random) => (random() * 1e9).toFixed(4) },
]

function bits(count: number): TypeValues {
  return {
    type: `BIT(${count})`,
    values: ['0', '1', `b'${'1'.repeat(count)}'`, `b'1${'0'.repeat(count - 1)}'`],
    draw: (random) => `b'${BigInt.asUintN(count, random.bytes(8).readBigUInt64LE()).toString(2)}'`,
  }
}

const DIGITS = [0, 1, 2, 3, 4, 5, 6]

const two = (value: number): string => String(value).padStart(2, '0')

function drawDate(random: SeededRandom): string {
  const year = String(random.integer(100, 10_000)).padStart(4, '0')
  return `${year}-${two(random.integer(1, 13))}-${two(random.integer(1, 29))}`
}

function drawClock(random: SeededRandom, hours: number, digits: number): string {
  const clock = [random.integer(0, hours), random.integer(0, 60), random.integer(0, 60)].map(two).join(':')
  const fraction = String(random.integer(0, 10 ** digits)).padStart(digits, '0')
  return digits === 0 ? clock : `${clock}.${fraction}`
}

const DATE: TypeValues = {
  type: 'DATE',
  values: `0001-01-01 0099-12-31 1000-01-01 1582-10-04 1582-10-15 1900-02-28 1969-12-31 1970-01-01 2000-02-29 9999-12-31
    0000-00-00 0000-01-01 2020-00-00 2020-02-00 2023-02-30 2023-02-29`
    .split(/\s+/)
    .map((date) => `'${date}'`),
  draw: (random) => `'${drawDate(random)}'`,
}

const YEAR: TypeValues = {
  type: 'YEAR',
  values: ['0', '1901', '1969', '1970', '2155', "'0'", "'70'"],
  draw: (random) => String(random.integer(1901, 2156)),
}

function datetime(digits: number): TypeValues {
  const dates = ['0001-01-01', '0099-12-31', '1677-09-21', '1683-12-31', '1969-12-31', '1970-01-01', '2255-06-06']
  const clocks = ['00:00:00', '23:59:59.999999', '00:00:00.000001', '12:34:56.5']
  const literals = [...dates, '9999-12-30', '0000-00-00', '2020-02-00', '2023-02-30'].flatMap((date, i) =>
    date.startsWith('0000')
      ? [`'${date} 00:00:00'`]
      : [`'${date} ${clocks[i % 4]}'`, `'${date} ${clocks[(i + 1) % 4]}'`],
  )
  return {
    type: `DATETIME(${digits})`,
    values: literals,
    draw: (random) => `'${drawDate(random)} ${drawClock(random, 24, digits)}'`,
  }
}

function time(digits: number): TypeValues {
  const literals =
    '00:00:00 838:59:58 -838:59:58 -00:00:00.1 -00:00:01 24:00:00 -24:00:00.000001 23:59:59.999999 99:00:00.5'
  return {
    type: `TIME(${digits})`,
    values: literals.split(' ').map((literal) => `'${literal}'`),
    draw: (random) => `'${random.pick(['', '-'])}${drawClock(random, 838, digits)}'`,
  }
}

function timestamp(digits: number): TypeValues {
  const literals = ['1970-01-01 00:00:01', '2038-01-19 03:14:07', '2001-09-09 01:46:40', '2000-02-29 23:59:59.999999']
  return {
    type: `TIMESTAMP(${digits}) NULL`,
    values: [...literals, '2020-06-15 12:00:00.1', '0000-00-00 00:00:00'].map((literal) => `'${literal}'`),
    draw: (random) => `FROM_UNIXTIME(${random.integer(1, 2 ** 31 - 1)}.${random.integer(0, 10 ** 6)})`,
  }
}

const TEXTS = [
  ['CHAR(40)', 'utf8mb4'],
  ['VARCHAR(40)', 'utf8mb4'],
  ['VARCHAR(300)', 'utf8mb4'],
  ['VARCHAR(40)', 'utf8mb3'],
  ['CHAR(40)', 'latin1'],
  ['VARCHAR(40)', 'latin1'],
  ['CHAR(255)', 'ascii'],
  ['TINYTEXT', 'utf8mb4'],
  ['TEXT', 'latin1'],
  ['MEDIUMTEXT', 'utf8mb4'],
  ['LONGTEXT', 'utf8mb4'],
] as const

const CHARACTERS: Readonly<Record<string, readonly string[]>> = {
  ascii: ['a', 'Z', '0', ' ', '"', '\\', "'", '/', '\t', '\n', '\0', '\u0007', '\u007F', '<', '`'],
  latin1: ['é', 'ÿ', '€', '\u00A0', 'Ž', '„'],
  utf8mb3: ['漢', '\u2028', '\uFEFF', 'ж', '\u0080', '\uFFFD'],
  utf8mb4: ['😀', '𝄞', '\u{10FFFF}'],
}

function text(type: string, charset: string): TypeValues {
  const pool = Object.entries(CHARACTERS).flatMap(([name, characters]) =>
    name === 'ascii' || name === charset || (charset === 'utf8mb4' && name === 'utf8mb3') ? characters : [],
  )
  const texts = ['', ' ', 'a', ' leading and trailing  ', 'NULL', ...pool, pool.join('').slice(0, 30).trim()]
  return {
    type: `${type} CHARACTER SET ${charset}`,
    values: texts.map(textLiteral),
    draw: (random) => textLiteral(Array.from({ length: random.integer(0, 40) }, () => random.pick(pool)).join('')),
  }
}

/** A literal that means the same in every session charset and sql_mode. */
function textLiteral(value: string): string {
  return value === '' ? "''" : `CONVERT(X'${Buffer.from(value).toString('hex')}' USING utf8mb4)`
}

const BYTES = [
  'BINARY(1)',
  'BINARY(16)',
  'VARBINARY(40)',
  'VARBINARY(300)',
  'TINYBLOB',
  'BLOB',
  'MEDIUMBLOB',
  'LONGBLOB',
]

function bytes(type: string): TypeValues {
  const width = type === 'BINARY(1)' ? 1 : type === 'BINARY(16)' ? 16 : 40
  return {
    type,
    values: ["''", "X'00'", "X'20'", "X'FF'", `X'${'00'.repeat(width)}'`, `X'${'61'.repeat(width)}'`],
    draw: (random) => `X'${random.bytes(random.integer(0, width + 1)).toString('hex')}'`,
  }
}

const SET_MEMBERS = Array.from({ length: 64 }, (_, i) => `m${i}`)

const MEMBERS: readonly TypeValues[] = [
  {
    type: "ENUM('', 'a', 'it''s', 'com,ma', 'back\\\\slash', 'x y', 'é')",
    values: ['1', '2', '3', '4', '5', '6', '7'],
    draw: (random) => String(random.integer(1, 8)),
  },
  {
    type: `ENUM(${Array.from({ length: 300 }, (_, i) => `'e${i}'`).join(',')})`,
    values: ['1', '255', '256', '300'],
    draw: (random) => String(random.integer(1, 301)),
  },
  {
    type: "SET('a', 'it''s', 'back\\\\slash', 'x y', 'é')",
    values: ['0', '1', '31'],
    draw: (random) => String(random.integer(0, 32)),
  },
  {
    type: `SET(${SET_MEMBERS.map((member) => `'${member}'`).join(',')})`,
    values: ['0', '1', '9223372036854775808', '18446744073709551615', '9007199254740993'],
    draw: (random) => String(random.bytes(8).readBigUInt64LE()),
  },
]

const DOCUMENTS = [
  '{}',
  '[]',
  'null',
  '"text \\" \\\\ é 😀 \\u0007"',
  '{"a": 1, "bb": [true, false, null], "é": {"": -1}}',
  '[0, -1, 32767, 32768, -32769, 2147483648, 9223372036854775807, 18446744073709551615]',
  '[0.1, -0.0, 1e300, 1e-300, 1.0, 123456789.125, 1e10]',
]

const JSON_DOCUMENTS: TypeValues = {
  type: 'JSON',
  values: [
    ...DOCUMENTS.map(textLiteral),
    "JSON_ARRAY(1.50, CAST('-100:00:00.5' AS TIME(3)), DATE'2020-02-09', TIMESTAMP'2020-02-09 12:34:56.789', X'00FF')",
    "JSON_OBJECT('long', REPEAT('x', 70000))",
  ],
  draw: (random) => textLiteral(JSON.stringify(drawDocument(random, 3))),
}

/** MariaDB stores JSON as text. */
const JSON_TEXT: TypeValues = {
  type: 'JSON',
  values: DOCUMENTS.map(textLiteral),
  draw: (random) => textLiteral(JSON.stringify(drawDocument(random, 3))),
}

function drawDocument(random: SeededRandom, depth: number): unknown {
  const kind = random.integer(0, depth === 0 ? 5 : 7)
  const items = (): number[] => Array.from({ length: random.integer(0, 5) }, (_, i) => i)
  switch (kind) {
    case 0:
      return [null, true, false][random.integer(0, 3)]
    case 1:
      return random.integer(-(2 ** 40), 2 ** 40)
    case 2:
      return Number(drawDouble(30)(random))
    case 3:
      return random.bytes(random.integer(0, 30)).toString('latin1')
    case 4:
      return random.integer(-200, 200)
    case 5:
      return items().map(() => drawDocument(random, depth - 1))
    default:
      return Object.fromEntries(items().map((i) => [`k${i}${random.pick(['', 'é'])}`, drawDocument(random, depth - 1)]))
  }
}
