import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { temporaryFolder } from './temporary-folder.ts'
import { eventually } from './eventually.ts'
import { ServerProcess } from './server-process.ts'

test('a server ends with its starter, even if that is killed; the next process removes its folder', async () => {
  await using folder = temporaryFolder('test')
  const script = join(folder.path, 'owner.ts')
  const here = new URL('.', import.meta.url).href
  writeFileSync(
    script,
    `import { ServerProcess } from '${here}server-process.ts'
     import { temporaryFolder } from '${here}temporary-folder.ts'
     const folder = temporaryFolder('owned')
     const options = { name: 'sleeper', program: 'sleep', args: ['1000'], isReady: async () => true }
     const server = await ServerProcess.start({ ...options, logFile: folder.path + '/log' })
     console.log(server.pid + ' ' + folder.path)
     setInterval(() => {}, 1000)`,
  )
  // In the common folder, any process that starts at the same time would remove what the killed one leaves.
  const env = { ...process.env, TMPDIR: folder.path }
  const owner = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid = '', path = ''] = (await firstLine(owner.stdout)).split(' ')
  assert.ok(isAlive(Number(pid)))

  owner.kill('SIGKILL')

  await eventually('the server has ended', () => !isAlive(Number(pid)))
  assert.ok(existsSync(path), 'no process has removed the folder yet')
  const start = `import('${here}temporary-folder.ts').then((m) => m.temporaryFolder())`
  const next = spawn(process.execPath, ['-e', start], { env })
  await new Promise((resolve) => next.once('exit', resolve))
  assert.equal(existsSync(path), false)
})

test('the error for a server that ends during its start has the exit code and the last lines of its log', async () => {
  await using folder = temporaryFolder('test')
  await assert.rejects(
    startShell(folder.path, 'echo no disk; exit 7', async () => false),
    {
      code: 'SERVER_ENDED_AT_START',
      message: /exit code 7[^]*no disk/,
    },
  )
})

test('the error for a missing program names it and its package', async () => {
  await using folder = temporaryFolder('test')
  const started = ServerProcess.start({
    name: 'Kafka broker 1',
    program: 'no-such-java',
    args: [],
    packageName: 'some-jre',
    logFile: join(folder.path, 'server.log'),
    isReady: () => Promise.resolve(false),
  })
  await assert.rejects(started, {
    code: 'PROGRAM_MISSING',
    message:
      'The program no-such-java is not on this machine, and Kafka broker 1 needs it. Install it (Debian package: some-jre) and run the command again.',
  })
})

test('a server that has ended is not ready, even if another program answers on its port', async () => {
  await using folder = temporaryFolder('test')
  const pidFile = join(folder.path, 'pid')
  const pid = (): number => Number(existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '0')
  const ended = startShell(folder.path, `echo $$ > ${pidFile}; exit 1`, async () => {
    await eventually('it has ended', () => pid() > 0 && !isAlive(pid()))
    return true
  })
  await assert.rejects(ended, { code: 'SERVER_ENDED_AT_START' })
})

test('a server that does not become ready is killed, and the error shows its log', async () => {
  await using folder = temporaryFolder('test')
  const pidFile = join(folder.path, 'pid')
  const options = { name: 'slow', program: 'sh', logFile: join(folder.path, 'log') }
  const args = ['-c', `echo $$ > ${pidFile}; echo still thinking; exec sleep 1000`]
  const start = ServerProcess.start({ ...options, args, isReady: async () => false, readyTimeoutMs: 300 })
  await assert.rejects(start, { code: 'SERVER_NOT_READY', message: /300 ms[^]*still thinking/ })
})

test('stop sends SIGTERM, also to a suspended server; kill -9 waits for the end; both are idempotent', async () => {
  await using folder = temporaryFolder('test')
  const marker = join(folder.path, 'stopped')
  const trapped = join(folder.path, 'trapped')
  const polite = `trap 'echo > ${marker}; exit 0' TERM; echo > ${trapped}; while :; do sleep 0.05; done`
  const first = await startShell(folder.path, polite, () => Promise.resolve(existsSync(trapped)))
  await first.kill('SIGSTOP')
  await first.stop()
  await first.stop()
  assert.equal(first.isRunning, false)
  assert.ok(existsSync(marker))

  const second = await startShell(folder.path, 'exec sleep 1000', async () => true)
  await second.kill('SIGKILL')
  await second.kill('SIGKILL')
  assert.equal(isAlive(second.pid), false)
})

function startShell(folder: string, script: string, isReady: () => Promise<boolean>): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'shell',
    program: 'sh',
    args: ['-c', script],
    logFile: join(folder, 'log'),
    isReady,
  })
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stream)) return line
  return ''
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
