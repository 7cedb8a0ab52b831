import { createLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SecretMask } from './secret-mask.ts'

test('a value is replaced by its reference in every form that a message may contain', () => {
  const reference = '${file:/s:key}'
  const table: readonly (readonly [value: string, text: string, expected: string])[] = [
    ['hunter2', "Invalid value hunter2: 'hunter2x'", `Invalid value ${reference}: '${reference}x'`],
    ['hunter2\n', 'Invalid value hunter2', `Invalid value ${reference}`],
    ['a"b\\c-d', String.raw`{"x":"a\"b\\c-d"}`, `{"x":"${reference}"}`],
    ['p w/d?', 'http://u:p%20w%2Fd%3F@h', `http://u:${reference}@h`],
    ['broker-1:9092,broker-2:9092', 'cannot reach broker-2:9092', `cannot reach ${reference}`],
    // Too short to be masked within words.
    ['1', 'value 1 of 10', `value ${reference} of 10`],
    ['', 'nothing', 'nothing'],
    ['$&', 'a $& b', `a ${reference} b`],
  ]
  for (const [value, text, expected] of table) {
    assert.equal(new SecretMask(new Map([[reference, value]])).text(text), expected, value)
  }
})

test('secrets of a configuration are hidden: long ones everywhere, short ones as whole words', () => {
  const table: readonly (readonly [secret: string, text: string, expected: string])[] = [
    ['dbz', "password dbz, 'dbz'", "password [hidden], '[hidden]'"],
    ['dbz', 'adbz dbzs dbz_', 'adbz dbzs dbz_'],
    ['correct-horse-battery', 'xcorrect-horse-batteryx', 'x[hidden]x'],
    ['a"b', String.raw`{"p":"a\"b"}`, '{"p":"[hidden]"}'],
    ['p w/d?', 'http://u:p%20w%2Fd%3F@h', 'http://u:[hidden]@h'],
  ]
  for (const [secret, text, expected] of table) assert.equal(new SecretMask(new Map(), [secret]).text(text), expected)
})

test('words of the grammar of a login module are not masked', () => {
  const jaas = 'org.example.PlainLoginModule required username="ada.lovelace" password="hunter2";'
  const mask = new SecretMask(new Map([['${env:J}', jaas]]))
  assert.equal(mask.text(`required: ${jaas}`), 'required: ${env:J}')
  assert.equal(
    mask.text('the username ada.lovelace and the password hunter2'),
    'the username ${env:J} and the password ${env:J}',
  )
})

test('the longer of two values is masked first, also when they are from two masks', () => {
  const a = new SecretMask(new Map([['${env:A}', 'secret']]))
  const b = new SecretMask(new Map([['${env:B}', 'secret-of-b']]))
  assert.equal(a.with(b).text('secret-of-b, secret'), '${env:B}, ${env:A}')
})

test('a masked error keeps its code', () => {
  const mask = new SecretMask(new Map([['${env:A}', 'hunter2']]))
  const masked = mask.error(Object.assign(new Error('hunter2'), { code: 'WORKER_SETTING_INVALID' }))
  assert.deepEqual([masked.message, (masked as { code?: unknown }).code], ['${env:A}', 'WORKER_SETTING_INVALID'])
})

test('a logger masks texts, fields, fields of children, and errors with their causes and stacks', () => {
  const lines: string[] = []
  const logger = createLogger('debug', (line) => lines.push(line))
  const masked = new SecretMask(new Map([['${env:A}', 'hunter2']])).logger(logger)
  const error = new TypeError('outer hunter2', { cause: new Error('inner hunter2') })

  masked.child({ connectorName: 'hunter2' }).error('a hunter2', { error, text: 'is hunter2', count: 2 })
  for (const level of ['debug', 'info', 'warn'] as const) masked[level]('b hunter2')

  assert.equal(lines.length, 4)
  assert.doesNotMatch(lines.join(''), /hunter2/)
  assert.match(lines[0] ?? '', /"connectorName":"\$\{env:A\}".*outer \$\{env:A\}.*"msg":"a \$\{env:A\}"/)
  assert.equal(error.message, 'outer hunter2')
})
