/** The random histories find defects that are planted in a copy of the code. */
import { runProgram, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const STREAMING = 'packages/connector-mysql/src/streaming'

const DEFECTS = [
  {
    name: 'a definition is applied twice',
    file: `${STREAMING}/ddl-handler.ts`,
    line: '    const outcome = interpreter.interpret(query.sql, {',
    planted: `    interpreter.interpret(query.sql, { database: query.database === '' ? null : query.database })
    const outcome = interpreter.interpret(query.sql, {`,
    metadata: 'MINIMAL',
    finds: /: (?:wrong|needless|failure|lost): /,
  },
  {
    name: 'an event is skipped now and then',
    file: `${STREAMING}/binlog-rows.ts`,
    line: "      if (row <= skippedRows || change === 'none') continue",
    planted: `      const isSkipped = header.position % 97 === 0 && captured.table.id.table !== 'marker'
      if (row <= skippedRows || change === 'none' || isSkipped) continue`,
    metadata: 'MINIMAL',
    finds: /: lost: /,
  },
  {
    name: 'the names of columns are taken by position',
    file: 'packages/connector-mysql/src/tables/map-mismatch.ts',
    line: '    if (detail.name !== null && detail.name !== column.name)',
    planted: '    if (detail.name === undefined)',
    metadata: 'FULL',
    finds: /: (?:wrong|needless): /,
  },
] as const

/** A copy of the code that uses the installed packages of this one. */
function copyOfTheCode(folder: string): void {
  for (const part of ['packages', 'tests/adversary', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: (path) => !path.includes('node_modules') })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@tributary'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@tributary') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(ROOT, 'node_modules', '@tributary')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@tributary', name))
}

for (const { name, file, line, planted, metadata, finds } of DEFECTS) {
  test(`planted: ${name}`, { timeout: 600_000 }, async (context) => {
    await using folder = temporaryFolder('planted')
    copyOfTheCode(folder.path)
    const path = join(folder.path, file)
    const code = readFileSync(path, 'utf8')
    assert.equal(code.split(line).length, 2, `${file} has the line once`)
    writeFileSync(
      path,
      code.replace(line, () => planted),
    )
    const hunt = [
      join(folder.path, 'tests/adversary/hunt.ts'),
      '--metadata',
      metadata,
      '--steps',
      '30',
      '--first',
      '--tries',
      '12',
    ]
    const started = performance.now()
    const { code: exitCode, stdout, stderr } = await runProgram(process.execPath, hunt)
    context.diagnostic(`found after ${Math.round((performance.now() - started) / 1000)} s: ${stdout.slice(0, 300)}`)
    assert.equal(exitCode, 1, stderr)
    assert.match(stdout, finds)
  })
}
