/** Expected schemas and values are those of Debezium 3.6.1: `npm run interop -- columns` compares both. */
import { type ConfigMap, type ConnectValue, EncodedText, type Schema } from '@tributary/connect-api'
import { DecodedRow } from '@tributary/connector-kit'
import { captureLogger } from '@tributary/testkit'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotSelect } from '../snapshot/snapshot-select.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'

const BINLOG = 'io.debezium.connector.binlog.converters'
const TINY: ConfigMap = { converters: 'b', 'b.type': `${BINLOG}.TinyIntOneToBooleanConverter` }
const JDBC: ConfigMap = { converters: ' j ', 'j.type': `${BINLOG}.JdbcSinkDataTypesConverter` }
const ZERO: ConfigMap = { converters: 'z', 'z.type': `${BINLOG}.ZeroDateFallbackConverter` }

function compile(columns: string, properties: ConfigMap): CapturedTable {
  const interpreter = shopInterpreter()
  interpreter.interpret(`CREATE TABLE t (${columns})`, { database: 'shop' })
  const [table] = [...interpreter.tables]
  return testCompiler({ properties }).compile(present(table, 'table'))
}

/** The schema of a column's field. */
function schemaOf(columns: string, properties: ConfigMap): Partial<Schema> {
  const { type, isOptional, name, parameters, defaultValue } = present(
    compile(columns, properties).schema.valueSchema.fields[0],
    'field',
  ).schema
  return { type, isOptional, name, parameters, defaultValue }
}

/** The values of events for the texts that a SELECT returns; null: NULL. */
function valuesOf(columns: string, properties: ConfigMap, texts: readonly (string | null)[]): readonly ConnectValue[] {
  const captured = compile(columns, properties)
  const { reader } = snapshotSelect(captured)
  const row = Buffer.concat(
    texts.map((text) => (text === null ? Buffer.of(0xfb) : Buffer.concat([Buffer.of(text.length), Buffer.from(text)]))),
  )
  const struct = new DecodedRow(captured.schema, reader.read(row, 0, row.length)).value()
  return captured.schema.valueSchema.fields.map((_, i) => {
    const value = struct.at(i)
    return value instanceof EncodedText ? value.toString() : value
  })
}

test('TINYINT(1) is a boolean: true for positive values; its default, too', () => {
  const columns = 'a TINYINT(1), b TINYINT(1) NOT NULL DEFAULT 1, c TINYINT(3), d INT(1), e TINYINT(1) UNSIGNED'
  assert.deepEqual(valuesOf(columns, TINY, ['2', '-1', '2', '1', '200']), [true, false, 2, 1, true])
  assert.deepEqual(valuesOf(columns, TINY, [null, '0', null, null, null]), [null, false, null, null, null])
  const boolean = { type: 'boolean', name: null, parameters: null }
  assert.deepEqual(schemaOf('b TINYINT(1) NOT NULL DEFAULT 1', TINY), {
    ...boolean,
    isOptional: false,
    defaultValue: true,
  })
  assert.deepEqual(schemaOf("b TINYINT(1) DEFAULT '0'", TINY), { ...boolean, isOptional: true, defaultValue: false })
})

test('a selector is a list of regular expressions in any case; length.checker=false includes every TINYINT', () => {
  const some: ConfigMap = { ...TINY, 'b.selector': String.raw`SHOP\.t\.A, .*\.c`, 'b.length.checker': 'FALSE' }
  const columns = 'a TINYINT(1), b TINYINT(1), c TINYINT, d TINYINT UNSIGNED ZEROFILL'
  assert.deepEqual(valuesOf(columns, some, ['1', '1', '5', '1']), [true, 1, true, 1])
})

test('JdbcSinkDataTypesConverter: positive whole numbers are 1, reals are doubles or floats', () => {
  const columns = 'a TINYINT(1), b DECIMAL(6,4), c BIT(1), d INT'
  const booleans: ConfigMap = { ...JDBC, 'j.selector.boolean': '.*' }
  assert.deepEqual(valuesOf(columns, booleans, ['5', '0.5000', '\u0001', '-1']), [1, 0, 1, 0])
  const defaulted = { type: 'int16', isOptional: true, name: null, parameters: null, defaultValue: 1 }
  assert.deepEqual(schemaOf('a BOOLEAN DEFAULT TRUE', booleans), defaulted)

  const reals: ConfigMap = { ...JDBC, 'j.selector.real': '.*' }
  assert.deepEqual(
    valuesOf('a REAL, b INT, c DECIMAL(8,2)', reals, ['0.1', '16777217', '-0.01']),
    [0.1, 16777217, -0.01],
  )
  const floats: ConfigMap = { ...reals, 'j.treat.real.as.double': 'false' }
  assert.deepEqual(valuesOf('a REAL, b INT', floats, ['0.1', '16777217']), [Math.fround(0.1), 16777216])
  assert.equal(schemaOf('a REAL DEFAULT 0.1', floats).type, 'float')
})

test('JdbcSinkDataTypesConverter: strings have the character set; numbers are the texts of Java', () => {
  const strings: ConfigMap = { ...JDBC, 'j.selector.string': '.*' }
  assert.deepEqual(schemaOf("v VARCHAR(5) CHARACTER SET latin1 DEFAULT 'x'", strings), {
    type: 'string',
    isOptional: true,
    name: null,
    parameters: { '__debezium.source.column.character_set': 'latin1' },
    defaultValue: 'x',
  })
  assert.deepEqual(schemaOf("e ENUM('a','b') DEFAULT 'b'", strings).name, null)
  const columns = "a BIGINT, b DECIMAL(20,10), c FLOAT, d DOUBLE, e ENUM('a','b'), f VARBINARY(9)"
  assert.deepEqual(valuesOf(columns, strings, ['12', '0.0000000000', '2', '1e10', '2', 'abc']), [
    '12',
    '0E-10',
    '2.0',
    '1.0E10',
    'b',
    'abc',
  ])
  assert.equal(schemaOf('b DECIMAL(20,10) DEFAULT 0', strings).defaultValue, '0E-10')
})

test('a column that a converter cannot convert keeps its form, and the log names it', () => {
  const interpreter = shopInterpreter()
  interpreter.interpret('CREATE TABLE t (d DATE)', { database: 'shop' })
  const logger = captureLogger()
  const properties: ConfigMap = { ...JDBC, 'j.selector.real': '.*' }
  const { schema } = testCompiler({ properties, logger }).compile(present([...interpreter.tables][0], 'table'))
  assert.equal(schema.valueSchema.fields[0]?.schema.name, 'io.debezium.time.Date')
  assert.equal(logger.matching(/shop\.t\.d keeps its form: selector\.real .* does not convert DATE/).length, 1)
})

test('the first converter of the list that is for a column converts it', () => {
  const both: ConfigMap = { ...JDBC, ...TINY, 'j.selector.boolean': '.*', converters: 'j,b' }
  assert.deepEqual(valuesOf('a TINYINT(1)', both, ['1']), [1])
  assert.deepEqual(valuesOf('a TINYINT(1)', { ...both, converters: 'b,j' }, ['1']), [true])
})

const ZEROS = 'd DATE NOT NULL, t DATETIME(6) NOT NULL, s TIMESTAMP(3) NOT NULL'

test('ZeroDateFallbackConverter: zero dates are null, the columns are optional', () => {
  const zeros = ['0000-00-00', '0000-00-00 00:00:00.000000', '0000-00-00 00:00:00.000']
  assert.deepEqual(valuesOf(ZEROS, ZERO, zeros), [null, null, null])
  assert.deepEqual(valuesOf(ZEROS, ZERO, ['1969-12-31', '1969-12-31 23:59:59.999900', '2024-02-29 12:13:14.120']), [
    -1,
    -100,
    '2024-02-29T12:13:14.12Z',
  ])
  const schema = {
    type: 'int32',
    isOptional: true,
    name: 'io.debezium.time.Date',
    parameters: null,
    defaultValue: null,
  }
  assert.deepEqual(schemaOf("d DATE NOT NULL DEFAULT '2020-01-02'", ZERO), schema)
})

test('ZeroDateFallbackConverter: a literal replaces zero dates, NULL and the default', () => {
  const literals: ConfigMap = {
    ...ZERO,
    'z.fallback.date': '1900-01-02',
    'z.fallback.datetime': '1900-01-02 03:04:05',
    'z.fallback.timestamp': '1971-02-03T04:05:06.7+01:00',
    'z.column.shop.t.n.fallback': 'NULL',
  }
  const columns = 'd DATE, t DATETIME, s TIMESTAMP NULL, n DATE'
  const replaced = [-25566, -2208891355000, '1971-02-03T03:05:06.7Z', null]
  assert.deepEqual(valuesOf(columns, literals, [null, null, null, null]), replaced)
  const zero = '0000-00-00 00:00:00'
  assert.deepEqual(valuesOf(columns, literals, ['0000-00-00', zero, zero, '0000-00-00']), replaced)
  const given = schemaOf("d DATE NOT NULL DEFAULT '2020-01-02'", literals)
  assert.deepEqual([given.isOptional, given.defaultValue], [false, -25566])
  const none = schemaOf('d DATE NOT NULL', literals)
  assert.deepEqual([none.isOptional, none.defaultValue], [false, null])
})

test('ZeroDateFallbackConverter: keys have the literal, too', () => {
  const literals: ConfigMap = { ...ZERO, 'z.fallback.date': '1900-01-02', 'message.key.columns': 'shop.t:d' }
  const { schema } = compile('d DATE', literals)
  assert.equal(new DecodedRow(schema, [null]).key()?.at(0), -25566)
})

test('ZeroDateFallbackConverter: target.types and selector choose columns', () => {
  const some: ConfigMap = { ...ZERO, 'z.target.types': 'datetime', 'z.selector': String.raw`.*\.[ta]` }
  const columns = 'a DATE NOT NULL, t DATETIME NOT NULL, u DATETIME NOT NULL'
  const zero = '0000-00-00 00:00:00'
  assert.deepEqual(valuesOf(columns, some, ['0000-00-00', zero, zero]), [0, null, 0])
})

test('ZeroDateFallbackConverter: a literal of another type is an error that names the column', () => {
  const wrong: ConfigMap = { ...ZERO, 'z.column.shop.t.d.fallback': '1900-01-02 00:00:00' }
  assert.throws(
    () => compile('d DATE', wrong),
    /column\.shop\.t\.d\.fallback .* is 1900-01-02 00:00:00.*DATE.*yyyy-MM-dd/,
  )
})
