/**
 * The tarball that `npm run pack` builds: what is in it, and that it runs with npx in an empty folder, on the oldest Node that
 * it names and on the one of the workspace.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  connectorConfig,
  freePort,
  nodeRelease,
  runProgram,
  temporaryFolder,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import type { CheckReport } from '@tributary/connector-mysql'
import { type BuiltPackage, buildPackage } from '../../scripts/pack/build-package.ts'
import { PackedProgram } from './packed-program.ts'

const root = join(import.meta.dirname, '../..')
const output = temporaryFolder('tarball')
let built: BuiltPackage

before(async () => {
  built = await buildPackage(root, output.path)
})
after(() => output[Symbol.asyncDispose]())

async function unpack(): Promise<string> {
  const { code, stderr } = await runProgram('tar', ['xzf', built.path, '-C', output.path])
  assert.equal(code, 0, stderr)
  return join(output.path, 'package')
}

async function tar(...args: readonly string[]): Promise<string> {
  const { stdout } = await runProgram('tar', args)
  return stdout
}

describe('the tarball', () => {
  test('holds bundle, command, licences and a manifest that installs nothing else', async () => {
    const files = (await tar('tzf', built.path)).trim().split('\n')
    const expected =
      /^package\/(bin\/tributary\.mjs|dist\/[\w-]+\.js|dist\/native\/crc32\.[\w-]+\.node|[\w-]+\.(json|md|txt))$/
    assert.deepEqual(
      files.filter((file) => !expected.test(file)),
      [],
    )
    const manifest = JSON.parse(await tar('xzOf', built.path, 'package/package.json')) as Record<string, unknown>
    assert.deepEqual(manifest['bin'], { tributary: 'bin/tributary.mjs' })
    for (const name of ['dependencies', 'scripts', 'peerDependencies', 'optionalDependencies']) {
      assert.equal(manifest[name], undefined, name)
    }
  })

  test('is small, and has no path of this machine, no test and no test server in it', async () => {
    // 1.3 and 4.9 MB when this was written; a library that comes in unnoticed is larger than the room that is left.
    assert.ok(built.packedBytes < 1_800_000, `${built.packedBytes}`)
    assert.ok(built.unpackedBytes < 6_000_000, `${built.unpackedBytes}`)
    const folder = await unpack()
    const found = await runProgram('grep', ['-rlFe', root, '-e', homedir(), '-e', 'node:test', '-e', 'testkit', folder])
    assert.equal(found.stdout, '')
  })

  test('brings the licences of all libraries in it', async () => {
    const text = await tar('xzOf', built.path, 'package/THIRD-PARTY-LICENCES.txt')
    for (const { name, version } of built.libraries) assert.ok(text.includes(`\n\n${name} ${version}\n\n`), name)
    const names = built.libraries.map(({ name }) => name)
    for (const name of ['fastify', 'mysql2', 'pino', 'commander', '@platformatic/kafka', '@node-rs/crc32']) {
      assert.ok(names.includes(name), name)
    }
  })
})

const releases: readonly (readonly [name: string, node: () => Promise<string>])[] = [
  ['Node 22', () => nodeRelease('22.15.0')],
  ['Node 24', () => Promise.resolve(process.execPath)],
]

for (const [name, findNode] of releases) {
  describe(name, () => {
    let program: PackedProgram

    before(async () => {
      program = new PackedProgram(await findNode(), built.path)
    })
    after(() => program[Symbol.asyncDispose]())

    test('npx starts a worker; a connector is created, its records are shown; SIGTERM ends all of it', async () => {
      const database = await useMySql()
      const { bootstrapServers } = await useKafka()
      const prefix = uniqueName('packed')
      await database.query(`
        CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.pets (id INT PRIMARY KEY, name VARCHAR(40));
        INSERT INTO ${prefix}.pets VALUES (1, 'Rex'), (2, 'Mia')`)
      const url = `http://127.0.0.1:${await freePort()}`
      const environment = {
        BOOTSTRAP_SERVERS: bootstrapServers.join(','),
        GROUP_ID: prefix,
        CONFIG_STORAGE_TOPIC: `${prefix}_configs`,
        OFFSET_STORAGE_TOPIC: `${prefix}_offsets`,
        STATUS_STORAGE_TOPIC: `${prefix}_statuses`,
        CONNECT_OFFSET_STORAGE_PARTITIONS: '1',
        CONNECT_STATUS_STORAGE_PARTITIONS: '1',
        REST_HOST_NAME: '127.0.0.1',
        REST_PORT: new URL(url).port,
        TRIBUTARY_URL: url,
      }
      await using worker = program.start(['start'], environment)
      await worker.says('Worker has completed startup')
      const config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
      writeFileSync(join(program.folder, 'connector.json'), JSON.stringify({ name: prefix, config }))
      const created = await program.run(['connectors', 'create', 'connector.json', '--wait'], environment)
      assert.equal(created.code, 0, created.stderr)
      assert.match(created.stdout, /: created\n[^]*task 0 +RUNNING/)

      const shown = await program.run(['watch', '-a', '--max-messages', '2', `${prefix}.${prefix}.pets`], environment)
      assert.equal(shown.code, 0, shown.stderr)
      const rows = shown.stdout.trim().split('\n')
      assert.deepEqual(
        rows.map((line) => (JSON.parse(line) as { payload: { after: unknown } }).payload.after),
        [
          { id: 1, name: 'Rex' },
          { id: 2, name: 'Mia' },
        ],
      )

      worker.kill('SIGTERM')
      const { stdout } = await worker.end()
      assert.match(stdout, /Received SIGTERM from npx: stopping\n.*Worker stopped\n$/s)

      await using again = program.startInstalled(['start'], environment)
      await again.says('Worker has completed startup')
      await using status = program.startInstalled(['connectors', 'status', '--wait', prefix], environment)
      const { code: running, stdout: state } = await status.end()
      assert.equal(running, 0, state)
      again.kill('SIGTERM')
      const { code } = await again.end()
      assert.equal(code, 0)
    })

    test('every way to log in works from the bundle, which holds what the driver loads late', async () => {
      const [mysql, mariadb] = await Promise.all([useMySql(), useMariaDb()])
      const user = uniqueName('u').slice(0, 16)
      await mysql.query(`CREATE USER '${user}'@'%' IDENTIFIED WITH caching_sha2_password BY 'pw' REQUIRE NONE;
        GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO '${user}'@'%'`)
      await mariadb.query(`CREATE USER '${user}'@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('pw');
        GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO '${user}'@'%'`)
      const logins = [
        // The first asks for the server's RSA key, the second finds the password in the server's cache.
        ['RSA', mysql, 'disabled', 'not encrypted'],
        ['cached', mysql, 'disabled', 'not encrypted'],
        ['TLS', mysql, 'required', 'encrypted'],
        ['native', mariadb, 'disable', 'not encrypted'],
      ] as const
      for (const [how, database, mode, encryption] of logins) {
        const account = { 'database.user': user, 'database.password': 'pw', 'database.ssl.mode': mode }
        const config = connectorConfig({
          database,
          bootstrapServers: [],
          prefix: user,
          includes: 'none',
          more: account,
        })
        writeFileSync(join(program.folder, 'login.json'), JSON.stringify(config))
        const { stdout, stderr } = await program.run(['check', '--json', 'login.json'])
        const { server, checks } = JSON.parse(stdout) as CheckReport
        assert.equal(server?.version, database.version, `${how}: ${stdout} ${stderr}`)
        assert.equal(checks.find(({ title }) => title === 'TLS')?.found, encryption, how)
      }
    })
  })
}
