import assert from 'node:assert/strict'
import { test } from 'node:test'
import { converterProperties, converterRefusals } from './converter-refusals.ts'

const BINLOG = 'io.debezium.connector.binlog.converters'

/** The only refusal. */
function refusal(config: Record<string, string>): readonly [property: string, text: string] {
  const refusals = Object.entries(converterRefusals(config)).flatMap(([name, texts]) =>
    texts.map((text) => [name, text] as const),
  )
  assert.equal(refusals.length, 1)
  return refusals[0] ?? ['', '']
}

test('the converters of Debezium are accepted under all their names', () => {
  for (const className of [
    `${BINLOG}.TinyIntOneToBooleanConverter`,
    'io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter',
    `${BINLOG}.JdbcSinkDataTypesConverter`,
    'io.debezium.connector.mysql.converters.JdbcSinkDataTypesConverter',
    `${BINLOG}.ZeroDateFallbackConverter`,
  ]) {
    assert.deepEqual(converterRefusals({ converters: 'x', 'x.type': className }), {}, className)
  }
  assert.deepEqual(converterRefusals({ 'x.type': 'com.example.Unused' }), {})
})

test('a class of others is refused with what may replace it', () => {
  const [property, text] = refusal({
    converters: 'iso',
    'iso.type': 'com.darcytech.debezium.converter.MySqlDateTimeConverter',
  })
  assert.equal(property, 'iso.type')
  assert.match(
    text,
    /^The 'iso\.type' value is invalid: com\.darcytech\.\S+ is a Java class that Tributary does not have/,
  )
  assert.match(text, /time\.precision\.mode/)
  assert.match(text, /TinyIntOneToBooleanConverter/)
  assert.match(refusal({ converters: 'x', 'x.type': 'com.example.Money' })[1], /transforms\.Cast/)
})

test('a converter of records is refused with its own property', () => {
  const [, text] = refusal({ converters: 'x', 'x.type': 'io.debezium.converters.BinaryDataConverter' })
  assert.match(text, /set it as value\.converter instead, and remove x from 'converters'/)
})

test('a converter without a class is refused', () => {
  assert.deepEqual(refusal({ converters: 'a , b', 'a.type': `${BINLOG}.ZeroDateFallbackConverter` })[0], 'b.type')
})

test('selectors and literals are checked', () => {
  const tiny = { converters: 'b', 'b.type': `${BINLOG}.TinyIntOneToBooleanConverter` }
  assert.equal(refusal({ ...tiny, 'b.selector': 'a(' })[0], 'b.selector')
  const jdbc = { converters: 'j', 'j.type': `${BINLOG}.JdbcSinkDataTypesConverter` }
  assert.equal(refusal({ ...jdbc, 'j.selector.string': '[' })[0], 'j.selector.string')
  const zero = { converters: 'z', 'z.type': `${BINLOG}.ZeroDateFallbackConverter` }
  const wrong: readonly (readonly [option: string, value: string])[] = [
    ['fallback.date', '2023-02-30'],
    ['fallback.date', '1970-01-01 00:00:00'],
    ['fallback.datetime', '1970-01-01T00:00:00'],
    ['fallback.timestamp', '1970-01-01 00:00:00'],
    ['fallback.timestamp', '1970-01-01T00:00:00+19:00'],
    ['column.a.b.c.fallback', 'yesterday'],
  ]
  for (const [option, value] of wrong) {
    const [property, text] = refusal({ ...zero, [`z.${option}`]: value })
    assert.equal(property, `z.${option}`)
    assert.match(text, /is expected/)
  }
  const right = {
    'z.fallback.date': ' null ',
    'z.fallback.timestamp': '1970-01-01T00:00+01',
    'z.column.a.b.c.fallback': '',
  }
  assert.deepEqual(converterRefusals({ ...zero, ...right }), {})
})

test('the options of converters are known properties, others are not', () => {
  const config = {
    converters: 'z',
    'z.type': `${BINLOG}.ZeroDateFallbackConverter`,
    'z.column.a.b.c.fallback': 'NULL',
    'z.colour': 'red',
  }
  const known = converterProperties(config)
  assert.deepEqual(
    ['z.type', 'z.fallback.date', 'z.column.a.b.c.fallback', 'z.colour'].map((name) => known.includes(name)),
    [true, true, true, false],
  )
})
