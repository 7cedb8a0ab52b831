import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { DatabaseServer } from '@tributary/testkit'
import { compareMaps, type MapComparison } from './compare-maps.ts'
import { runSequences } from './random-sequences.ts'
import { dropCorpusDatabases, runCorpus } from './run-corpus.ts'
import type { CorpusResult } from '../schema/oracle/corpus-run.ts'
import { statementsOf } from '../schema/oracle/sql-script.ts'

/** Their defaults have more digits of a second than their columns. */
export const ROUNDED: readonly string[] = ['c_num.def_time', 'c_num.def_datetime']

/** The server prints `x` in a charset of two bytes for each character as an empty member, and knows it afterwards. */
export const WIDE: readonly string[] = ['c_cs.wide_members', 'c_cs.wide_members']

/** A script, the least number of its statements that a server accepts, and of the definitions that are compared. */
export interface Script {
  readonly name: string
  readonly accepted: number
  readonly compared: number
  /** Tables that may have to be read again. */
  readonly gaps?: readonly string[]
}

/**
 * Numbered scripts are those of the recordings. Without their INSERT, UPDATE and DELETE, which take time and change no
 * definition; `common_statements` and `common_programs` keep them, to show that the interpreter ignores them.
 */
export function statementsOfScript(name: string): string[] {
  const folder = /^m?\d\d_/.test(name) ? '../../../../fixtures/golden/scripts' : '../../fixtures/corpus'
  const text = readFileSync(new URL(`${folder}/${name}.sql`, import.meta.url), 'utf8')
  const statements = statementsOf(text)
  const keepsRows = name === 'common_statements' || name === 'common_programs'
  return keepsRows ? statements : statements.filter((sql) => !/^(insert|update|delete)/i.test(sql))
}

export async function runOn(
  server: DatabaseServer,
  statements: readonly string[],
): Promise<CorpusResult & { readonly maps: MapComparison }> {
  try {
    const { interpreter, ...result } = await runCorpus(server, statements)
    const maps = await compareMaps(server, interpreter)
    return { ...result, differences: [...result.differences, ...maps.differences], maps }
  } finally {
    // The next script compares all tables of the server.
    await dropCorpusDatabases(server)
  }
}

export function assertAgrees(result: CorpusResult, { accepted, compared, gaps = [] }: Omit<Script, 'name'>): void {
  assert.deepEqual(result.differences, [])
  assert.deepEqual(
    result.gaps.map((gap) => gap.slice(0, gap.indexOf(': '))),
    gaps,
  )
  assert.ok(result.accepted >= accepted, `only ${result.accepted} statements were accepted`)
  assert.ok(result.compared >= compared, `only ${result.compared} definitions were compared`)
}

export interface CorpusRun {
  readonly start: (options: { readonly rowMetadata: 'FULL' }) => Promise<DatabaseServer>
  readonly scripts: readonly Script[]
  /** The least number of table maps that are compared, and of definitions that are built from them. */
  readonly maps: number
  readonly built: number
}

export interface RandomStatements {
  /** Of the first sequence; each has the next one. */
  readonly seed: number
  readonly sequences: number
}

/** Runs the scripts and random statements on a server, and compares after each statement. */
export function testCorpus(product: string, run: CorpusRun, random: RandomStatements): void {
  test(`the model has what the catalogue of ${product} has, after each statement`, async (suite) => {
    await using server = await run.start({ rowMetadata: 'FULL' })
    let [maps, built] = [0, 0]
    for (const expected of run.scripts) {
      await suite.test(expected.name, async () => {
        const result = await runOn(server, statementsOfScript(expected.name))
        maps += result.maps.compared
        built += result.maps.built
        assertAgrees(result, expected)
      })
    }

    assert.ok(
      maps >= run.maps && built >= run.built,
      `only ${maps} maps were compared, ${built} definitions were built`,
    )
    await suite.test('random statements', async () => {
      const { failed, accepted, compared, gaps } = await runSequences(server, random)
      const enough = random.sequences * 3.75
      assert.deepEqual(failed, [])
      assert.ok(accepted >= enough && compared >= enough, `only ${accepted} statements, ${compared} definitions`)
      assert.ok(gaps * 20 < compared, `${gaps} tables had to be read again, ${compared} definitions were compared`)
    })
  })
}
