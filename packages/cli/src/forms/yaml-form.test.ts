import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FormError, placeAt } from './form-error.ts'
import { readYaml } from './yaml-form.ts'

/** After the example in Strimzi's documentation, with every kind of value. */
const STRIMZI = `
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: { name: cluster }
spec: {}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: inventory
  labels:
    strimzi.io/cluster: my-connect
spec:
  class: io.debezium.connector.mysql.MySqlConnector
  tasksMax: 1
  autoRestart: { enabled: true }
  state: stopped
  config:
    tasks.max: 9
    database.port: 3306
    include.schema.changes: false
    threshold: 1.5
    quoted: "0123"
    folded: >-
      shop.orders,
      shop.customers
    database.password: \${secrets:my-project/db:password}
    list: [a, 1, true]
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: { name: paused }
spec: { class: MySql, pause: true, config: {} }
`

test("Strimzi's KafkaConnector becomes what its operator sends to Connect", () => {
  assert.deepEqual(readYaml(STRIMZI), [
    {
      name: 'inventory',
      config: {
        'tasks.max': '1',
        'database.port': '3306',
        'include.schema.changes': 'false',
        threshold: '1.5',
        quoted: '0123',
        folded: 'shop.orders, shop.customers',
        'database.password': '${secrets:my-project/db:password}',
        list: 'a,1,true',
        'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
      },
      initialState: 'STOPPED',
      isNameFixed: true,
      notes: [
        'Resources of the kind Kafka are not read.',
        'spec.config.tasks.max of inventory is ignored, as by Strimzi.',
        "Of inventory, autoRestart are for Strimzi's operator and not read.",
      ],
    },
    { name: 'paused', config: { 'connector.class': 'MySql' }, initialState: 'PAUSED', isNameFixed: true, notes: [] },
  ])
})

test('aliases and merge keys are followed; the own value of a map wins', () => {
  const text = 'name: a\nconfig:\n  <<: [{ a: "1", b: "2" }, { b: "3", c: "4" }]\n  b: &x own\n  d: *x\n'
  assert.deepEqual(readYaml(text)[0]?.config, { a: '1', b: 'own', c: '4', d: 'own' })
})

test('a value that YAML 1.1 and 1.2 read differently is an error; in quotes it is a text', () => {
  for (const value of [
    '0123',
    'yes',
    'Off',
    'y',
    '1_000',
    '0x1F',
    '0o17',
    '1e3',
    '1.50',
    '12:30',
    '2024-01-01',
    '.inf',
  ]) {
    assert.throws(() => readYaml(`name: a\nx: ${value}`), /write it in quotes/, value)
    assert.equal(readYaml(`name: a\nx: '${value}'`)[0]?.config['x'], value)
  }
  for (const value of ['0', '-5', '3306', '1.5', 'true', 'none', 'a_b', 'y2', '10.0.0.1', '1.2.3']) {
    assert.equal(readYaml(`name: a\nx: ${value}`)[0]?.config['x'], value)
  }
})

const laughs = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
for (let i = 1; i < 10; i++)
  laughs.push(
    `b${i}: &b${i} [${Array(10)
      .fill(i === 1 ? '*a' : `*b${i - 1}`)
      .join(', ')}]`,
  )

const faults: readonly (readonly [text: string, reason: RegExp, place: string | null])[] = [
  ['a: "hunter2', /it is not YAML: a character is missing/, '1:12'],
  ['name: a\nx: 1\nx: 2', /it is not YAML: a key occurs twice/, '3:1'],
  ['name: a\n\tx: 1', /it is not YAML/, '2:1'],
  ['name: a\npassword: *hunter2', /an alias has no anchor/, '2:11'],
  ['name: a\nx: !hunter2 1', /it has a tag/, '2:4'],
  ['name: a\nx: &x { z: *x }', /it has more than 50 levels/, '2:7'],
  [laughs.join('\n'), /it has more than 10000 values/, '1:35'],
  ['['.repeat(100_000), /it has more than 50 levels/, '1:52'],
  ['- '.repeat(100_000), /it has more than 50 levels/, '1:103'],
  [Array.from({ length: 30_000 }, (_, i) => `k${i}: v`).join('\n'), /it has more than 10000 values/, '1:1'],
  ['- a', /it is YAML, but not a map/, null],
  ['x: ~', /the value of x is null/, null],
  ['apiVersion: v1\nkind: Secret\ndata: {}', /no resource of the kind KafkaConnector, only Secret/, null],
  ['apiVersion: v1\nkind: KafkaConnector\nspec: {}', /a KafkaConnector has no metadata.name/, null],
  [
    'apiVersion: v1\nkind: KafkaConnector\nmetadata: { name: a }\nspec: { state: gone }',
    /spec.state of the KafkaConnector a is not running, paused or stopped/,
    null,
  ],
  [
    'apiVersion: v1\nkind: KafkaConnector\nmetadata: { name: a }\nspec: { config: { x: { a: b } } }',
    /spec.config.x of the KafkaConnector a is not a text/,
    null,
  ],
]

test('an error names the fault and its place, and does not quote the file', () => {
  for (const [text, reason, place] of faults) {
    assert.throws(
      () => readYaml(text),
      (error: unknown) => {
        assert.ok(error instanceof FormError, String(error))
        assert.match(error.message, reason)
        assert.doesNotMatch(error.message, /hunter2/)
        const at = error.at === null ? null : placeAt(text, error.at)
        assert.equal(at === null ? null : `${at.line}:${at.column}`, place, text.slice(0, 80))
        return true
      },
    )
  }
})
