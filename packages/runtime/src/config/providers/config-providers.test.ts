import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigProviders, presentConfig } from './config-providers.ts'

const folder = mkdtempSync(join(tmpdir(), 'providers-'))
const other = mkdtempSync(join(tmpdir(), 'providers-other-'))
after(() => {
  for (const path of [folder, other]) rmSync(path, { recursive: true })
})

const FILE = join(folder, 'secrets.properties')
// With escapes as java.util.Properties writes them, because Kafka's provider reads the file with that class.
writeFileSync(FILE, '# of the database\nuser = ada\npass\\ word: p\\u00e4\\=\\:\\!\nlong=a\\\n   b\nempty=\n')
writeFileSync(join(folder, 'token'), 'tok-en\n')
writeFileSync(join(folder, 'broken.properties'), 'geheim=hunter2\nx=\\u12\n')
writeFileSync(join(other, 'x.properties'), 'key=1\n')
mkdirSync(join(folder, 'sub'))

const PACKAGE = 'org.apache.kafka.common.config.provider'
const WORKER = {
  'config.providers': 'file, dir,env',
  'config.providers.file.class': `${PACKAGE}.FileConfigProvider`,
  'config.providers.dir.class': `${PACKAGE}.DirectoryConfigProvider`,
  'config.providers.env.class': `${PACKAGE}.EnvVarConfigProvider`,
}
const ENVIRONMENT = { DB_PASSWORD: 'from-env', OTHER: 'x' }

function resolve(text: string, more: Readonly<Record<string, string>> = {}): string {
  const resolved = ConfigProviders.of({ ...WORKER, ...more }, ENVIRONMENT).resolve({ property: text })
  return presentConfig(resolved)['property'] ?? ''
}

test('a reference is replaced by its value, also within a text', () => {
  const table: readonly (readonly [text: string, expected: string])[] = [
    [`\${file:${FILE}:user}`, 'ada'],
    [`\${file:${FILE}:pass word}`, 'pä=:!'],
    [`\${file:${FILE}:long}`, 'ab'],
    [`\${file:${FILE}:empty}`, ''],
    [`user="\${file:${FILE}:user}" password="\${env:DB_PASSWORD}"`, 'user="ada" password="from-env"'],
    [`\${dir:${folder}:token}`, 'tok-en\n'],
    ['${env:DB_PASSWORD}', 'from-env'],
    ['${env::DB_PASSWORD}', 'from-env'],
    // As in Kafka, text that names no provider is unchanged.
    ['${routedByValue}', '${routedByValue}'],
    ['${vault:/x:y}', '${vault:/x:y}'],
    ['$1 {x:y}', '$1 {x:y}'],
  ]
  for (const [text, expected] of table) assert.equal(resolve(text), expected, text)
})

test('references and dollar signs within a value are unchanged', () => {
  const environment = { A: '${env:B} $& $1', B: 'b' }
  const { config } = ConfigProviders.of(WORKER, environment).resolve({ a: '<${env:A}>' })
  assert.deepEqual(config, { a: '<${env:B} $& $1>' })
})

test('the error for a reference without a value has property, reference, place and reason, but no contents', () => {
  const missing = join(folder, 'none.properties')
  const table: readonly (readonly [text: string, reason: string])[] = [
    [`\${file:${missing}:key}`, `the file ${missing} cannot be read: it does not exist`],
    [`\${file:${FILE}:absent}`, `the file ${FILE} has no key absent`],
    [`\${file:${FILE}:toString}`, `the file ${FILE} has no key toString`],
    ['${file:user}', 'it names no file: write the path before the key'],
    [`\${file:${folder}:user}`, `${folder} is not a file`],
    [
      `\${file:${join(folder, 'broken.properties')}:geheim}`,
      `the file ${join(folder, 'broken.properties')} is not a properties file: line 2: \\u is not followed by four hexadecimal digits`,
    ],
    [`\${dir:${join(folder, 'none')}:token}`, `the path ${join(folder, 'none')} is not a directory`],
    [`\${dir:${folder}:../x}`, `../x is not the name of a file in the directory ${folder}`],
    [`\${dir:${folder}:sub}`, `${join(folder, 'sub')} is not a file`],
    ['${env:NONE}', 'the environment of the service has no variable NONE'],
    ['${env:p:NONE}', "Path is not supported for EnvVarConfigProvider, invalid value 'p'"],
  ]
  for (const [text, reason] of table) {
    assert.throws(
      () => resolve(text),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'CONFIG_REFERENCE')
        assert.ok(
          error.message.startsWith(`property refers to ${text}, which has no value: ${reason}. `),
          error.message,
        )
        assert.doesNotMatch(error.message + String(error.stack), /hunter2|ada|tok-en/)
        return true
      },
    )
  }
})

test('allowed.paths and allowlist.pattern limit what references may name', () => {
  const files = { 'config.providers.file.param.allowed.paths': `${folder},${join(other, 'nothing-here')}` }
  const narrow = {
    'config.providers.file.param.allowed.paths': folder,
    'config.providers.dir.param.allowed.paths': other,
  }
  assert.equal(resolve(`\${file:${FILE}:user}`, narrow), 'ada')
  const outside = /is not within allowed\.paths/
  assert.throws(() => resolve(`\${file:${join(other, 'x.properties')}:key}`, narrow), outside)
  assert.throws(() => resolve(`\${file:${folder}/../${other.split('/').at(-1)}/x.properties:key}`, narrow), outside)
  assert.throws(() => resolve(`\${dir:${folder}:token}`, narrow), outside)
  assert.throws(() => resolve('x', files), /nothing-here.* of allowed\.paths does not exist/)
  assert.throws(
    () => resolve('x', { 'config.providers.file.param.allowed.paths': 'secrets' }),
    /the path secrets of allowed\.paths is not absolute/,
  )
  const pattern = { 'config.providers.env.param.allowlist.pattern': 'DB_.*' }
  assert.equal(resolve('${env:DB_PASSWORD}', pattern), 'from-env')
  assert.throws(
    () => resolve('${env:OTHER}', pattern),
    /allowlist\.pattern \(DB_\.\*\) does not allow the variable OTHER/,
  )
})

/** Classes that are in use, and a part of the advice. */
const FOREIGN: readonly (readonly [className: string, instead: string])[] = [
  ['com.github.jcustenborder.kafka.config.vault.VaultConfigProvider', 'Vault Agent'],
  ['io.lenses.connect.secrets.providers.VaultSecretProvider', 'Vault Agent'],
  ['com.amazonaws.kafka.config.providers.SecretsManagerConfigProvider', 'secrets of AWS'],
  ['io.confluent.csid.config.provider.aws.SsmConfigProvider', 'secrets of AWS'],
  ['io.confluent.csid.config.provider.azure.KeyVaultConfigProvider', 'Azure Key Vault'],
  ['io.lenses.connect.secrets.providers.AzureSecretProvider', 'Azure Key Vault'],
  ['io.confluent.csid.config.provider.gcp.SecretManagerConfigProvider', 'Google Secret Manager'],
  ['com.github.gustajz.kafka.config.provider.KubernetesSecretConfigProvider', 'param.mount.path'],
  ['io.lenses.connect.secrets.providers.ENVSecretProvider', 'EnvVarConfigProvider'],
  ['io.confluent.connect.secretregistry.rbac.config.provider.InternalSecretConfigProvider', 'DirectoryConfigProvider'],
]

test('a provider without a class, or with an unknown one, is an invalid setting', () => {
  const table: readonly (readonly [worker: Readonly<Record<string, string>>, message: RegExp])[] = [
    [
      { 'config.providers': 'vault' },
      /config\.providers\.vault\.class is not set\. The classes are .*FileConfigProvider/,
    ],
    ...FOREIGN.map(([className, instead]): readonly [Readonly<Record<string, string>>, RegExp] => [
      { 'config.providers': 'v', 'config.providers.v.class': className },
      new RegExp(`config.providers.v.class names ${className}, which Tributary does not have\\. .*${instead}`),
    ]),
  ]
  for (const [worker, message] of table) {
    assert.throws(() => ConfigProviders.of(worker, {}), { code: 'WORKER_SETTING_INVALID', message })
  }
})
