import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTextMapDocument } from './json-values.ts'

const at = (column: number): string =>
  `\n at [Source: REDACTED (\`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION\` disabled); line: 1, column: ${column}]`

const noMap = 'Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.String,java.lang.String>` from'
const noText = 'Cannot deserialize value of type `java.lang.String` from'

/** Bodies of `PUT /connectors/{connector}/config`, with the answers of Kafka Connect 4.3.1. */
const refused: readonly (readonly [body: string, message: string])[] = [
  ['[]', `${noMap} Array value (token \`JsonToken.START_ARRAY\`)${at(1)}`],
  ['5', `${noMap} Integer value (token \`JsonToken.VALUE_NUMBER_INT\`)${at(1)}`],
  ['1.5', `${noMap} Floating-point value (token \`JsonToken.VALUE_NUMBER_FLOAT\`)${at(1)}`],
  ['true', `${noMap} Boolean value (token \`JsonToken.VALUE_TRUE\`)${at(1)}`],
  [
    '" "',
    `Cannot coerce empty String ("") to element of \`java.util.LinkedHashMap\` (but could if coercion was enabled using \`CoercionConfig\`)${at(1)}`,
  ],
  [
    '{"a":{}}',
    `${noText} Object value (token \`JsonToken.START_OBJECT\`)${at(6)} (through reference chain: java.util.LinkedHashMap["a"])`,
  ],
  [
    '{"a":[]}',
    `${noText} Array value (token \`JsonToken.START_ARRAY\`)${at(6)} (through reference chain: java.util.LinkedHashMap["a"])`,
  ],
  ['{"a":"\\x"}', `Unrecognized character escape 'x' (code 120)${at(8)}`],
  [
    '{} {}',
    `Trailing token (of type START_OBJECT) found after value (bound as \`java.util.Map\`): not allowed as per \`DeserializationFeature.FAIL_ON_TRAILING_TOKENS\`${at(4)}`,
  ],
]

for (const [body, message] of refused) {
  test(`refuses the configuration ${body} with the message of Kafka Connect`, () => {
    assert.throws(() => readTextMapDocument(Buffer.from(body)), { name: 'JsonError', message })
  })
}

test('an empty body, white space and null are no configuration', () => {
  const documents = ['', ' \n', 'null'].map((body) => readTextMapDocument(Buffer.from(body)))
  assert.deepEqual(documents, [null, null, null])
})

test('keeps the order, the last value of a name, and scalars as the document has them', () => {
  const body = '{"b":1.50,"a":true,"__proto__":"p","c":null,"b":"last","1":-0,"n":9007199254740993}'
  const map = readTextMapDocument(Buffer.from(body))
  const expected = [
    ['b', 'last'],
    ['a', 'true'],
    ['__proto__', 'p'],
    ['c', null],
    ['1', '-0'],
    ['n', '9007199254740993'],
  ]
  assert.deepEqual([...(map ?? [])], expected)
})

test('reports where a name is not UTF-8', () => {
  const body = Buffer.concat([Buffer.from('{"a'), Buffer.from([0xff]), Buffer.from('":1}')])
  assert.throws(() => readTextMapDocument(body), {
    message: `Invalid UTF-8 start byte 0xff${at(5)}`,
  })
})
