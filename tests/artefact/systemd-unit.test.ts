/** deploy/systemd/tributary.service, judged by systemd itself. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runProgram, temporaryFolder } from '@tributary/testkit'

const folder = temporaryFolder('unit')
const unit = join(folder.path, 'tributary.service')

before(() => {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/systemd/tributary.service'), 'utf8')
  // systemd-analyze refuses a unit whose program does not exist.
  writeFileSync(unit, text.replace('ExecStart=/usr/local/bin/tributary ', `ExecStart=${process.execPath} `))
})
after(() => folder[Symbol.asyncDispose]())

const SYSTEMD = { purpose: 'the unit of systemd', packageName: 'systemd' }

test('systemd-analyze verify finds nothing in the unit, and does find a wrong property', async () => {
  const { code, stdout, stderr } = await runProgram('systemd-analyze', ['verify', unit], SYSTEMD)
  assert.deepEqual([code, stdout, stderr], [0, '', ''])
  const wrong = join(folder.path, 'wrong.service')
  writeFileSync(wrong, readFileSync(unit, 'utf8').replace('WatchdogSec=', 'WatchDogSec='))
  const found = await runProgram('systemd-analyze', ['verify', wrong], SYSTEMD)
  assert.match(found.stderr, /Unknown key.*'WatchDogSec'/)
})

test('systemd-analyze security rates the exposure of the unit as 1.5 of 10 or less', async () => {
  const args = ['security', '--offline=true', '--threshold=15', '--no-pager', unit]
  const { code, stdout, stderr } = await runProgram('systemd-analyze', args, SYSTEMD)
  assert.equal(code, 0, stdout.slice(-200) + stderr)
})

test('the unit may write the folder that the documentation gives a spool', () => {
  const chapter = readFileSync(join(import.meta.dirname, '../../docs/08-outages.md'), 'utf8')
  const [, spool = ''] = /"binlog\.spool\.dir": "([^"]+)"/.exec(chapter) ?? []
  const [, state] = /^StateDirectory=(.+)$/m.exec(readFileSync(unit, 'utf8')) ?? []
  assert.ok(spool.startsWith(`/var/lib/${state}/`), `${spool} below /var/lib/${state}`)
})
