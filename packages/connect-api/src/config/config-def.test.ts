import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AssertionError } from '@tributary/support'
import { ConfigDef, ConfigError } from './config-def.ts'
import type { ConfigKey, ConfigType } from './config-key.ts'
import { atLeast, nonEmptyWithoutControlCharacters, nonNull, oneOf, oneOfIgnoringCase } from './validators.ts'

type Input = Readonly<Record<string, string | null>>

function errorsOf(key: Omit<ConfigKey, 'documentation'>, input: Input): readonly string[] {
  return new ConfigDef([{ documentation: '', ...key }]).validate(input)[0]?.errors ?? []
}

function valueOf(type: ConfigType, text: string): string | null {
  return new ConfigDef([{ name: 'k', type, documentation: '' }]).validate({ k: text })[0]?.value ?? null
}

// Recorded from Kafka Connect 4.3.1 (POST /connectors with one bad property each).
const tasksMax = { name: 'tasks.max', type: 'INT', defaultValue: '1', validators: [nonNull(), atLeast(1)] } as const
const notANumber = (text: string): readonly string[] => [
  `Invalid value ${text} for configuration tasks.max: Not a number of type INT`,
  'Invalid value null for configuration tasks.max: Value must be non-null',
]
const recorded: readonly (readonly [string, Omit<ConfigKey, 'documentation'>, Input, readonly string[]])[] = [
  [
    'too small',
    tasksMax,
    { 'tasks.max': '0' },
    ['Invalid value 0 for configuration tasks.max: Value must be at least 1'],
  ],
  [
    'negative',
    tasksMax,
    { 'tasks.max': '-1' },
    ['Invalid value -1 for configuration tasks.max: Value must be at least 1'],
  ],
  ['text', tasksMax, { 'tasks.max': 'abc' }, notANumber('abc')],
  ['a fraction', tasksMax, { 'tasks.max': '1.5' }, notANumber('1.5')],
  ['nothing', tasksMax, { 'tasks.max': '' }, notANumber('')],
  ['beyond 32 bits', tasksMax, { 'tasks.max': '99999999999' }, notANumber('99999999999')],
  ['blanks around', tasksMax, { 'tasks.max': ' 1 ' }, []],
  ['null', tasksMax, { 'tasks.max': null }, ['Invalid value null for configuration tasks.max: Value must be non-null']],
  [
    'missing',
    { name: 'transforms.a.type', type: 'CLASS' },
    {},
    ['Missing required configuration "transforms.a.type" which has no default value.'],
  ],
  [
    'none of a list',
    { name: 'errors.tolerance', type: 'STRING', validators: [oneOf('none', 'all')] },
    { 'errors.tolerance': 'some' },
    ['Invalid value some for configuration errors.tolerance: String must be one of: none, all'],
  ],
]
for (const [what, key, input, errors] of recorded) {
  test(`refuses ${key.name} in Connect's words: ${what}`, () => assert.deepEqual(errorsOf(key, input), errors))
}

// Printed by Kafka's own ConfigDef (kafka-clients 4.3.1), for a property `k` without default or validator.
const accepted: readonly (readonly [ConfigType, string, string])[] = [
  ['BOOLEAN', 'true', 'true'],
  ['BOOLEAN', ' TRUE ', 'true'],
  ['STRING', ' 1 ', '1'],
  ['STRING', '', ''],
  ['INT', ' 1 ', '1'],
  ['INT', '+5', '5'],
  ['INT', '-2147483648', '-2147483648'],
  ['SHORT', '32767', '32767'],
  ['LONG', '99999999999', '99999999999'],
  ['LONG', '9223372036854775807', '9223372036854775807'],
  ['DOUBLE', ' 1 ', '1.0'],
  ['DOUBLE', '1.5', '1.5'],
  ['DOUBLE', '1e3', '1000.0'],
  ['DOUBLE', '1d', '1.0'],
  ['DOUBLE', 'NaN', 'NaN'],
  ['DOUBLE', 'Infinity', 'Infinity'],
  ['LIST', 'a, b ,,c', 'a,b,,c'],
  ['LIST', '', ''],
  ['PASSWORD', ' secret ', '[hidden]'],
]
test('accepts what Kafka accepts, and shows it as Kafka does', () => {
  for (const [type, text, shown] of accepted) assert.equal(valueOf(type, text), shown, `${type} [${text}]`)
})

const refused: readonly (readonly [ConfigType, readonly string[], string])[] = [
  ['BOOLEAN', ['', ' 1 ', 'maybe', '1'], 'Expected value to be either true or false'],
  ['INT', ['', '1.5', '99999999999', 'true', '1e3', '0x10', '2147483648'], 'Not a number of type INT'],
  ['SHORT', ['32768', '-32769', 'x'], 'Not a number of type SHORT'],
  ['LONG', ['99999999999999999999', '9223372036854775808', 'NaN'], 'Not a number of type LONG'],
  ['DOUBLE', ['', 'x', '0x10', 'maybe', '1.5.', '1,5'], 'Not a number of type DOUBLE'],
]
for (const [type, texts, reason] of refused) {
  test(`refuses what is not ${type}, in one line when there is no validator`, () => {
    for (const text of texts) {
      assert.deepEqual(errorsOf({ name: 'k', type }, { k: text }), [
        `Invalid value ${text} for configuration k: ${reason}`,
      ])
    }
  })
}

const checks: readonly (readonly [string, ConfigKey['validators'], string, readonly string[]])[] = [
  [
    'one of, as it is spelt',
    [oneOf('a', 'b')],
    'A',
    ['Invalid value A for configuration k: String must be one of: a, b'],
  ],
  ['one of, in any case', [oneOfIgnoringCase('a', 'b')], 'B', []],
  [
    'one of, in any case: no',
    [oneOfIgnoringCase('a', 'b')],
    'x',
    ['Invalid value x for configuration k: String must be one of (case insensitive): A, B'],
  ],
  [
    'not empty',
    [nonEmptyWithoutControlCharacters()],
    '',
    ['Invalid value  for configuration k: String may not be empty'],
  ],
  [
    'no control characters',
    [nonEmptyWithoutControlCharacters()],
    'a\tb\u007f\u0085',
    [
      'Invalid value a\tb\u007f\u0085 for configuration k: String may not contain control sequences but had the following ASCII chars: 9, 127, 133',
    ],
  ],
]
for (const [what, validators = [], text, errors] of checks) {
  test(`checks text: ${what}`, () => {
    assert.deepEqual(errorsOf({ name: 'k', type: 'STRING', validators }, { k: text }), errors)
  })
}

test('a validator may make the whole message, from the name of the property', () => {
  const validators = [() => (name: string) => `Configuration '${name}' values must not be empty.`]
  assert.deepEqual(errorsOf({ name: 'k', type: 'LIST', validators }, { k: 'a,,b' }), [
    "Configuration 'k' values must not be empty.",
  ])
})

const ports = new ConfigDef([
  { name: 'host', type: 'STRING', documentation: '' },
  { name: 'port', type: 'INT', documentation: '', defaultValue: '3306', aliases: ['database.port', 'old.port'] },
  { name: 'user', type: 'STRING', documentation: '', defaultValue: null, recommendedValues: ['root'] },
  { name: 'tables', type: 'LIST', documentation: '', defaultValue: 'a, b' },
  { name: 'ssl', type: 'BOOLEAN', documentation: '', defaultValue: 'false' },
  { name: 'big', type: 'LONG', documentation: '', defaultValue: '9223372036854775807' },
])

test('a validation returns each defined property, in order of definition, and no other', () => {
  const answers = ports.validate({ host: 'h', unknown: 'x' })

  assert.deepEqual(
    answers.map(({ name, value }) => [name, value]),
    [
      ['host', 'h'],
      ['port', '3306'],
      ['user', null],
      ['tables', 'a,b'],
      ['ssl', 'false'],
      ['big', '9223372036854775807'],
    ],
  )
  assert.deepEqual(answers[2]?.recommendedValues, ['root'])
})

test('parsed values are read by their type', () => {
  const values = ports.parse({ host: ' h ', port: '1', ssl: 'TRUE' })

  assert.equal(values.string('host'), 'h')
  assert.equal(values.integer('port'), 1)
  assert.equal(values.optionalString('user'), null)
  assert.deepEqual(values.list('tables'), ['a', 'b'])
  assert.equal(values.boolean('ssl'), true)
})

test('another name of a property is used when the name itself is absent', () => {
  assert.equal(ports.parse({ host: 'h', 'old.port': '2' }).integer('port'), 2)
  assert.equal(ports.parse({ host: 'h', 'old.port': '2', 'database.port': '3' }).integer('port'), 3)
  assert.equal(ports.parse({ host: 'h', 'old.port': '2', port: '4' }).integer('port'), 4)
})

test('reading a property that is not defined, has no value, or has another type is a bug', () => {
  const values = ports.parse({ host: 'h' })

  assert.throws(() => values.string('no.such'), AssertionError)
  assert.throws(() => values.string('user'), AssertionError)
  assert.throws(() => values.integer('host'), AssertionError)
  assert.throws(() => values.boolean('host'), AssertionError)
  assert.throws(() => values.list('host'), AssertionError)
})

test('parsing throws the first error', () => {
  assert.throws(
    () => ports.parse({ port: 'x' }),
    (error) =>
      error instanceof ConfigError &&
      error.name === 'org.apache.kafka.common.config.ConfigException' &&
      error.message === 'Missing required configuration "host" which has no default value.',
  )
})

test('no message shows a password', () => {
  const key = { name: 'p', type: 'PASSWORD', validators: [() => 'too short'] } as const

  assert.deepEqual(errorsOf(key, { p: 'geheim' }), ['Invalid value [hidden] for configuration p: too short'])
})

test('a check may use the other properties, and only the first error of a property is reported', () => {
  const size: ConfigKey = {
    name: 'size',
    type: 'INT',
    documentation: '',
    validators: [
      (value, all) => (Number(value) > Number(all.get('batch')) ? null : 'Must be larger than the maximum batch size'),
      () => 'never looked at',
    ],
  }
  const def = new ConfigDef([size, { name: 'batch', type: 'INT', documentation: '', defaultValue: '10' }])

  assert.deepEqual(def.validate({ size: '5' })[0]?.errors, [
    'Invalid value 5 for configuration size: Must be larger than the maximum batch size',
  ])
})

test('definitions are joined, in order, and a property can be defined only once', () => {
  const joined = ports.with([{ name: 'more', type: 'STRING', documentation: '', defaultValue: 'm' }])

  assert.equal(joined.validate({ host: 'h' }).at(-1)?.value, 'm')
  assert.equal(ports.keys.length, 6)
  assert.throws(() => joined.with([{ name: 'host', type: 'STRING', documentation: '' }]), AssertionError)
})

test('a definition may have messages of its own', () => {
  const def = new ConfigDef([{ name: 'port', type: 'INT', documentation: '' }], {
    missing: (name) => [`${name}?`],
    wrongType: (name, text) => [`${name}=${text}?`],
    refused: (name, text, reason) => `${name}=${text}: ${reason}`,
  })

  assert.deepEqual(def.validate({})[0]?.errors, ['port?'])
  assert.deepEqual(def.validate({ port: 'x' })[0]?.errors, ['port=x?'])
})
