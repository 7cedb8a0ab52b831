import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigProviders, presentConfig } from './config-providers.ts'

const root = mkdtempSync(join(tmpdir(), 'kubernetes-'))
after(() => rmSync(root, { recursive: true }))
const mount = join(root, 'mnt')

/** A mounted volume as the kubelet writes it: files are links to `..data`, which is a link to a folder with a time. */
function volume(path: string, values: Readonly<Record<string, string>>): void {
  const folder = join(mount, path)
  mkdirSync(join(folder, '..2026_11_25'), { recursive: true })
  symlinkSync('..2026_11_25', join(folder, '..data'))
  for (const [key, value] of Object.entries(values)) {
    writeFileSync(join(folder, '..2026_11_25', key), value)
    symlinkSync(join('..data', key), join(folder, key))
  }
}

volume('db', { password: 'of-own', 'user.name': 'ada\n' })
volume('other/db', { password: 'of-other' })
writeFileSync(join(root, 'outside'), 'hunter2')

const STRIMZI = 'io.strimzi.kafka'
const WORKER = {
  'config.providers': 'secrets,maps,strimzienv',
  'config.providers.secrets.class': `${STRIMZI}.KubernetesSecretConfigProvider`,
  'config.providers.secrets.param.mount.path': mount,
  'config.providers.secrets.param.namespace': 'kafka',
  'config.providers.maps.class': `${STRIMZI}.KubernetesConfigMapConfigProvider`,
  'config.providers.maps.param.mount.path': mount,
  'config.providers.strimzienv.class': `${STRIMZI}.EnvVarConfigProvider`,
}

function resolve(text: string, more: Readonly<Record<string, string>> = {}): string {
  const resolved = ConfigProviders.of({ ...WORKER, ...more }, { DB_PASSWORD: 'from-env' }).resolve({ property: text })
  return presentConfig(resolved)['property'] ?? ''
}

test("Strimzi's providers read mounted Secrets and ConfigMaps, and variables", () => {
  const table: readonly (readonly [text: string, expected: string])[] = [
    ['${secrets:db:password}', 'of-own'],
    ['${secrets:kafka/db:password}', 'of-own'],
    ['${secrets:other/db:password}', 'of-other'],
    ['${secrets:db:user.name}', 'ada\n'],
    ['${maps:other/db:password}', 'of-other'],
    ['${strimzienv::DB_PASSWORD}', 'from-env'],
    ['${strimzienv:any:DB_PASSWORD}', 'from-env'],
  ]
  for (const [text, expected] of table) assert.equal(resolve(text), expected, text)
})

test('a reference leads to no file outside of the mounted folder, and none of another namespace', () => {
  const table: readonly (readonly [text: string, reason: RegExp])[] = [
    ['${secrets:..:outside}', /\.\. is not <namespace>\/<name> or <name> of a Secret/],
    ['${secrets:../mnt:db}', /\.\.\/mnt is not <namespace>/],
    ['${secrets:db/../other/db:password}', /is not <namespace>/],
    ['${secrets:/db:password}', /is not <namespace>/],
    ['${secrets:.:password}', /is not <namespace>/],
    ['${secrets:password}', / is not <namespace>/],
    ['${secrets:db:../../outside}', /\.\.\/\.\.\/outside is not a key of a Secret/],
    ['${secrets:db:..data}', /\.\.data is not a key of a Secret/],
    ['${secrets:db:}', / is not a key of a Secret/],
    ['${secrets:none/db:password}', /the Secret none\/db is not mounted at .*\/mnt\/none\/db/],
    ['${maps:kafka/db:password}', /the ConfigMap kafka\/db is not mounted at .*\/mnt\/kafka\/db/],
    ['${secrets:db:absent}', /\/mnt\/db\/absent cannot be read: it does not exist/],
  ]
  for (const [text, reason] of table)
    assert.throws(() => resolve(text), { code: 'CONFIG_REFERENCE', message: reason }, text)
})

test('a provider of Kubernetes without a mounted folder is an invalid setting', () => {
  for (const [path, message] of [
    ['', /mount\.path is not set; mount each Secret as a volume at <mount\.path>\/<name of the Secret>/],
    ['mnt', /mount\.path \(mnt\) is not an absolute folder/],
    [join(mount, 'none'), /mount\.path \(.*none\) is not an absolute folder/],
  ] as const) {
    const worker = { 'config.providers.secrets.param.mount.path': path }
    assert.throws(() => resolve('x', worker), { code: 'WORKER_SETTING_INVALID', message })
  }
})
