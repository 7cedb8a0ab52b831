/**
 * How soon a newcomer sees an event, on a PATH without Java, Maven and Docker: from an installed package with `tail` and
 * `dev`, and with the demo of the checkout.
 *
 *     npm run --silent exec -- tests/artefact/first-event/measure-first-event.ts [--times 5] [--demo]
 */
import { execFile } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { startMySql, temporaryFolder } from '@tributary/testkit'
import { buildPackage } from '../../../scripts/pack/build-package.ts'
import { barePath } from './bare-path.ts'
import { timeCommand, type TimedCommand, type TimedRun } from './timed-command.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const { values } = parseArgs({ options: { times: { type: 'string', default: '5' }, demo: { type: 'boolean' } } })
const print = (text: string): boolean => process.stdout.write(`${text}\n`)

await using folder = temporaryFolder('first-event')
const home = join(folder.path, 'home')
mkdirSync(home)
const path = barePath(join(folder.path, 'bin'), process.execPath)
const environment = { PATH: path, HOME: home, TMPDIR: home, NO_COLOR: '1' }
for (const name of ['java', 'mvn', 'docker']) {
  const found = await run('sh', ['-c', `command -v ${name} || true`], { env: environment })
  if (found.stdout !== '') throw new Error(`${name} is on the PATH: ${found.stdout}`)
}

if (values.demo === true) {
  const environmentOfDemo = { ...environment, TRIBUTARY_CACHE: `${process.env['HOME'] ?? ''}/.cache/tributary` }
  await report('demo', {
    command: ['npm', 'run', 'demo'],
    environment: environmentOfDemo,
    cwd: root,
    event: /^ +r {2}\{/m,
  })
} else await measurePackage()

async function measurePackage(): Promise<void> {
  const { path: tarball, packedBytes } = await buildPackage(root, join(folder.path, 'dist'))
  const empty = join(folder.path, 'empty')
  mkdirSync(empty)
  copyFileSync(tarball, join(empty, basename(tarball)))
  const start = performance.now()
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${basename(tarball)}`], {
    cwd: empty,
    env: environment,
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const installed = megabytes(sizeOf(join(empty, 'node_modules')))
  print(`tarball ${megabytes(packedBytes)} MB; npm install ${seconds} s; installed ${installed} MB`)

  await using database = await startMySql()
  await database.query(`CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY, name VARCHAR(40));
    INSERT INTO shop.t VALUES (1, 'Mei'), (2, 'Ann'), (3, 'Bo')`)
  const url = `mysql://root:@${database.host}:${database.port}/shop`
  const event = /"op":"r"/
  const program = join(empty, 'node_modules/.bin/tributary')
  await report('tail --snapshot', { command: [program, 'tail', url, '--snapshot'], environment, cwd: empty, event })
  await report('dev', { command: [program, 'dev', url], environment, cwd: empty, event })
  const npx: TimedCommand['command'] = ['npx', '--offline', '--yes', `./${basename(tarball)}`, 'dev', url]
  await report('npx … dev, which installs it', { command: npx, environment, cwd: empty, event }, 1)
}

async function report(name: string, command: TimedCommand, times = Number(values.times)): Promise<void> {
  const runs: TimedRun[] = []
  for (let i = 0; i < times; i++) runs.push(await timeCommand(command))
  const column = (of: (run: TimedRun) => number, digits: number): string =>
    runs
      .map(of)
      .map((n) => n.toFixed(digits))
      .join(', ')
  print(`${name}: seconds ${column(({ seconds }) => seconds, 2)}; MB ${column(({ peakMb }) => peakMb, 0)}`)
}

function sizeOf(path: string): number {
  const files = globSync('**/*', { cwd: path, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
