import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormError, placeAt } from './form-error.ts'
import { readKsql } from './ksql-form.ts'

test('the statements CREATE SOURCE CONNECTOR become documents; other statements are not read', () => {
  const text = `
    SET 'auto.offset.reset' = 'earliest'; -- not; read
    CREATE SOURCE CONNECTOR IF NOT EXISTS shop_reader WITH (
      'connector.class' = 'io.debezium.connector.mysql.MySqlConnector', /* a 'comment; */
      "database.port" = 3306,
      \`include.schema.changes\` = FALSE,
      'database.password' = 'it''s \${file:/run/secrets/db:password}',
      'offset' = -1.5
    );
    create source connector \`Second-One\` with ('a' = 'b')`
  assert.deepEqual(readKsql(text), [
    {
      name: 'SHOP_READER',
      config: {
        'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
        'database.port': '3306',
        'include.schema.changes': 'false',
        'database.password': "it's ${file:/run/secrets/db:password}",
        offset: '-1.5',
      },
      isOnlyForNew: true,
      isNameFixed: true,
      notes: [
        'Of the file, 1 other statement(s) are not read.',
        'The name without quotes is SHOP_READER, as in ksqlDB.',
      ],
    },
    { name: 'Second-One', config: { a: 'b' }, isOnlyForNew: false, isNameFixed: true, notes: [] },
  ])
})

const START = 'CREATE SOURCE CONNECTOR a WITH ('

const faults: readonly (readonly [text: string, reason: RegExp, place: string | null])[] = [
  ['SHOW CONNECTORS;', /it has no statement CREATE SOURCE CONNECTOR/, null],
  [`${START}'x' = 'hunter2`, /a quote or comment has no end/, '1:39'],
  [`${START}/* 'x' = 'hunter2'`, /a quote or comment has no end/, '1:33'],
  [`${START}'x' 'hunter2')`, /does not have = here/, '1:37'],
  [`${START}'x' = 'hunter2'\n'y' = 1)`, /does not have \) here/, '2:1'],
  [`${START}'x' = 1`, /does not have \) here/, '1:39'],
  [`${START}'x' = 1) hunter2`, /does not have a semicolon here/, '1:42'],
  [`${START}x = 1)`, /turns the property x into capitals; write it in quotes/, '1:33'],
  [`${START}'x' = NULL)`, /the value of x is not a text in quotes, a number, TRUE or FALSE/, '1:39'],
  [`${START}'x' = 1e3)`, /the number of x has several spellings/, '1:39'],
  [`${START}'x' = 1, 'x' = 2)`, /the property x occurs twice/, '1:42'],
  [`${START}'x' = '\${hunter2}')`, /the value of x contains a variable of ksqlDB/, '1:39'],
  ['CREATE SOURCE CONNECTOR IF EXISTS a WITH ()', /does not have NOT here/, '1:28'],
]

test('an error names the fault and its place, and does not quote the file', () => {
  for (const [text, reason, place] of faults) {
    assert.throws(
      () => readKsql(text),
      (error: unknown) => {
        assert.ok(error instanceof FormError, String(error))
        assert.match(error.message, reason)
        assert.doesNotMatch(error.message, /hunter2/)
        const at = error.at === null ? null : placeAt(text, error.at)
        assert.equal(at === null ? null : `${at.line}:${at.column}`, place, text)
        return true
      },
    )
  }
})
