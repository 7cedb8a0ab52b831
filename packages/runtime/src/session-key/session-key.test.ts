import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ConfigDef } from '@tributary/connect-api'
import { readSessionKeySettings, sessionKeyKeys, type SessionKeySettings } from '../config/session-key-settings.ts'
import { refuseSignature, signatureHeaders } from './request-signature.ts'
import { generateSessionKey, rotationDelayMs, sessionKeyJson, sessionKeyOf, type SessionKey } from './session-key.ts'

function settings(properties: Readonly<Record<string, string>> = {}): SessionKeySettings {
  return readSessionKeySettings(new ConfigDef(sessionKeyKeys).parse(properties))
}

test('the record of a worker of Kafka Connect is read, and written again byte for byte', () => {
  const file = new URL('../../fixtures/internal-topics/my_connect_configs.jsonl', import.meta.url)
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { key: string; value: string })
  const value = records.find(({ key }) => key === 'session-key')?.value ?? ''
  const key = sessionKeyOf(JSON.parse(value) as Record<string, unknown>)
  assert.ok(key !== null)
  assert.equal(key.createdMs, 1795260217956)
  assert.equal(key.key.symmetricKeySize, 32)
  assert.equal(sessionKeyJson(key), value)
})

const bad = [
  {},
  { key: 'AAAA', algorithm: 'HmacSHA256' },
  { key: '', algorithm: 'HmacSHA256', 'creation-timestamp': 1 },
  { key: 'A!AA', algorithm: 'HmacSHA256', 'creation-timestamp': 1 },
  { key: 7, algorithm: 'HmacSHA256', 'creation-timestamp': 1 },
  { key: 'AAAA', algorithm: null, 'creation-timestamp': 1 },
  { key: 'AAAA', algorithm: 'HmacSHA256', 'creation-timestamp': '1' },
]

for (const document of bad) {
  test(`is no session key: ${JSON.stringify(document)}`, () => assert.equal(sessionKeyOf(document), null))
}

test('a generated key has the size of the algorithm, or of the setting, and is not printed', () => {
  const sizes = [
    settings(),
    settings({ 'inter.worker.key.generation.algorithm': 'HmacSHA1' }),
    settings({ 'inter.worker.key.size': '129' }),
  ]
  assert.deepEqual(
    sizes.map((each) => generateSessionKey(each, 5).key.symmetricKeySize),
    [32, 64, 17],
  )
  const key = generateSessionKey(settings(), 5)
  const [hex, base64] = [key.key.export().toString('hex'), key.key.export().toString('base64')]
  const printed = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)
  assert.equal(printed.includes(hex) || printed.includes(base64), false)
  assert.notDeepEqual(generateSessionKey(settings(), 5).key.export(), key.key.export())
})

test('a key is due when it is missing, too old, or not of the settings', () => {
  const key = generateSessionKey(settings(), 1_000)
  const cases: readonly (readonly [SessionKey | null, SessionKeySettings, number, number])[] = [
    [null, settings(), 0, 0],
    [key, settings(), 1_000, 3_600_000],
    [key, settings(), 3_600_999, 1],
    [key, settings(), 3_601_000, 0],
    [key, settings({ 'inter.worker.key.ttl.ms': '10' }), 1_002, 8],
    [key, settings({ 'inter.worker.key.size': '128' }), 1_000, 0],
    [key, settings({ 'inter.worker.key.generation.algorithm': 'HmacSHA512' }), 1_000, 0],
  ]
  for (const [current, given, nowMs, expected] of cases) assert.equal(rotationDelayMs(current, given, nowMs), expected)
})

test('a signature is the HMAC of the body: RFC 4231, test case 2', () => {
  const key: SessionKey = { key: createSecretKey(Buffer.from('Jefe')), algorithm: 'HmacSHA256', createdMs: 0 }
  const headers = signatureHeaders(Buffer.from('what do ya want for nothing?'), key, settings())
  const hex = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  assert.deepEqual(headers, {
    'X-Connect-Authorization': Buffer.from(hex, 'hex').toString('base64'),
    'X-Connect-Request-Signature-Algorithm': 'HmacSHA256',
  })
})

test('only the body that was signed with the key of the group is accepted', () => {
  const key = generateSessionKey(settings(), 0)
  const body = Buffer.from('[]')
  const algorithm = 'HmacSHA256'
  const bytes = Buffer.from(signatureHeaders(body, key, settings())['X-Connect-Authorization'] ?? '', 'base64')
  assert.equal(refuseSignature({ body, signature: { algorithm, bytes } }, key, settings()), null)
  const invalid = { tag: 'signature invalid' }
  const signature = { algorithm, bytes }
  assert.deepEqual(refuseSignature({ body: Buffer.from('[ ]'), signature }, key, settings()), invalid)
  assert.deepEqual(refuseSignature({ body, signature }, generateSessionKey(settings(), 0), settings()), invalid)
  assert.deepEqual(
    refuseSignature({ body, signature: { algorithm, bytes: bytes.subarray(1) } }, key, settings()),
    invalid,
  )
})

const wrong = [
  [
    { 'inter.worker.signature.algorithm': 'HmacSHA512' },
    /Signature algorithm must be present in inter\.worker\.verification/,
  ],
] as const

for (const [properties, message] of wrong) {
  test(`settings that no request could meet are refused: ${JSON.stringify(properties)}`, () =>
    assert.throws(() => settings(properties), { code: 'WORKER_SETTING_INVALID', message }))
}

test('settings are checked', () => {
  const definition = new ConfigDef(sessionKeyKeys)
  const problems = (properties: Readonly<Record<string, string>>): readonly string[] =>
    definition.validate(properties).flatMap(({ errors }) => errors)
  assert.deepEqual(problems({}), [])
  assert.deepEqual(problems({ 'inter.worker.key.size': '39' }), [
    'Invalid value 39 for configuration inter.worker.key.size: Value must be at least 40',
  ])
  assert.match(
    problems({ 'inter.worker.key.generation.algorithm': 'DES' })[0] ?? '',
    /DES .*must be one of .*HmacSHA256/,
  )
  assert.match(problems({ 'inter.worker.verification.algorithms': 'HmacSHA256,foo' })[0] ?? '', /HmacSHA256/)
  assert.deepEqual(problems({ 'inter.worker.verification.algorithms': 'hmacsha512, HmacSHA3-256' }), [])
})
