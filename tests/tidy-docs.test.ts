import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { runProgram } from '@tributary/testkit'
import { fakeTree, root } from './testing/fake-tree.ts'

// Proves that `npm run check -- docs` reads the documents and bites.

const GENERATED = ['rest', 'command-line', 'errors', 'pre-flight', 'connector-properties', 'worker-properties']
/** What the generated pages point at. */
const MENTIONED = {
  'packages/rest-api/src/entities.ts': '',
  'docs/adr/0004-compression.md': '',
  'docs/15-avro.md': '',
}

/** What the check says of a tree with this repository's generated pages and the given files. */
async function check(
  files: Readonly<Record<string, string>>,
  change: (root: string) => void = () => undefined,
): Promise<readonly string[]> {
  await using tree = fakeTree({ ...MENTIONED, ...files })
  for (const name of GENERATED.map((page) => `docs/reference/${page}.md`)) {
    cpSync(join(root, name), join(tree.path, name))
  }
  change(tree.path)
  const { code, stdout, stderr } = await runProgram('node', ['scripts/docs.ts', '--check', tree.path], { cwd: root })
  assert.equal(stderr, '')
  assert.equal(code, stdout === '' ? 0 : 1)
  return stdout.split('\n').filter((line) => line !== '')
}

suite('the check of the documentation', () => {
  test('is content with pages that are as they should be', async () => {
    assert.deepEqual(await check({}), [])
  })

  test('reports a reference page that is not what the code gives', async () => {
    const lines = await check({}, (tree) => {
      const page = join(tree, 'docs/reference/errors.md')
      writeFileSync(page, readFileSync(page, 'utf8').replace('BINLOG_OFF', 'BINLOG_ON'))
    })
    assert.deepEqual(lines, [
      'docs/reference/errors.md: not what the code gives; run: npm run --silent exec -- scripts/docs.ts',
    ])
  })

  test('reports what documents point at and is not there, and nothing else', async () => {
    const page = [
      '# A page',
      'a [good link](docs/other.md), its [heading](docs/other.md#two-words-and-code), [one of this page](#a-page)',
      'a [broken',
      'link](docs/missing.md)',
      'a [broken heading](docs/other.md#three-words)',
      'a good anchor `packages/cli/src/index.ts` and a broken one `packages/cli/src/missing.ts`',
      'a name [`name`](packages/cli/src/index.ts) and a [`lostName`](packages/cli/src/index.ts)',
      '`packages/…/file.ts` and `packages/*/src` name no file; [the web](https://example.org/x) is not asked',
      'run `npm run check -- docs`, or `npm run chekc`',
      '```',
      'an example: [x](nowhere.md) `packages/nowhere.ts`',
      '```',
    ]
    const lines = await check({
      'README.md': page.join('\n'),
      'docs/other.md': '# Other\n\n## Two words, and `code`\n',
      'packages/cli/fixtures/theirs.md': 'of others: [x](nowhere.md)',
    })
    assert.deepEqual(lines, [
      'README.md:3: link to docs/missing.md, which does not exist',
      'README.md:5: docs/other.md#three-words has no such heading',
      'README.md:6: packages/cli/src/missing.ts does not exist',
      'README.md:7: packages/cli/src/index.ts does not contain lostName',
      'README.md:9: package.json has no script chekc',
    ])
  })
})

test('every error of the code stands on the reference page', async () => {
  const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
  const sources = globSync(['packages/*/src/**/*.ts', 'scripts/**/*.ts'], { cwd: root })
    // Those of tests no user sees.
    .filter(
      (file) => !file.endsWith('.test.ts') && !file.includes('/testing/') && !file.startsWith('packages/support/'),
    )
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('defineErrors('))
  assert.ok(sources.length > 8, `${sources.length} files define errors`)
  for (const file of sources) {
    const module = (await import(join(root, file))) as Readonly<Record<string, { definitions?: object } | undefined>>
    const codes = Object.values(module).flatMap((registry) => Object.keys(registry?.definitions ?? {}))
    assert.ok(codes.length > 0, `${file} exports no registry`)
    const missing = codes.filter((code) => !page.includes(`\n### ${code}\n`))
    assert.deepEqual(missing, [], file)
  }
})
