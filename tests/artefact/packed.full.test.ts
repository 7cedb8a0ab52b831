/** The packed program on the oldest Node that it supports and on the one of the workspace, with all its abilities. */
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { nodeRelease, temporaryFolder } from '@tributary/testkit'
import { type BuiltPackage, buildPackage } from '../../scripts/pack/build-package.ts'
import { logsIn, startsAndEnds } from './packed-abilities.ts'
import { PackedProgram } from './packed-program.ts'

const output = temporaryFolder('tarball')
let built: BuiltPackage

before(async () => {
  built = await buildPackage(join(import.meta.dirname, '../..'), output.path)
})
after(() => output[Symbol.asyncDispose]())

const releases: readonly (readonly [name: string, node: () => Promise<string>])[] = [
  ['Node 22', () => nodeRelease('22.2.0')],
  ['Node 24', () => Promise.resolve(process.execPath)],
]

for (const [name, findNode] of releases) {
  describe(name, () => {
    let program: PackedProgram

    before(async () => {
      program = new PackedProgram(await findNode(), built.path)
    })
    after(() => program[Symbol.asyncDispose]())

    test('npx starts a worker, creates a connector and shows its records; SIGTERM stops everything', () =>
      startsAndEnds(program))

    test('every login method works from the bundle, which contains the modules that the driver loads late', () =>
      logsIn(program))
  })
}
