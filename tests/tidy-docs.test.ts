import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { suite, test } from 'node:test'
import { runProgram, type TemporaryFolder } from '@tributary/testkit'
import { findingsIn } from '../scripts/docs/findings.ts'
import { generatedPages } from '../scripts/docs/pages.ts'
import { wrapMarkdown } from '../scripts/docs/wrap.ts'
import { fakeTree, root } from './testing/fake-tree.ts'

// `npm run check -- docs` reads the documents and fails on what is wrong in them.

const GENERATED = generatedPages()

/** Files that the generated pages link to or name, with nothing in them but the headings of the links. */
const MENTIONED: Readonly<Record<string, string>> = mentionedFiles()

function mentionedFiles(): Readonly<Record<string, string>> {
  const files = new Map<string, string>()
  for (const { path, text } of GENERATED) {
    for (const [, target = '', heading] of text.matchAll(/\]\(([^)#:]+)(?:#([\w-]+))?/g)) {
      const file = normalize(join(dirname(path), target))
      files.set(file, `${files.get(file) ?? ''}${heading === undefined ? '' : `# ${heading}\n\n`}`)
    }
    for (const [, target = ''] of text.matchAll(/`(packages\/[\w./-]+\.ts)`/g)) files.set(target, '')
  }
  for (const { path } of GENERATED) files.delete(path)
  return Object.fromEntries(files)
}

/** A tree with this repository's generated pages and the given files. */
function treeWith(files: Readonly<Record<string, string>>): TemporaryFolder {
  const tree = fakeTree({ ...MENTIONED, ...files })
  for (const { path } of GENERATED) cpSync(join(root, path), join(tree.path, path))
  return tree
}

/** The findings of the check in such a tree. */
async function check(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using tree = treeWith(files)
  return findingsIn(tree.path)
}

suite('the check of the documentation', () => {
  test('accepts correct pages', async () => {
    assert.deepEqual(await check({}), [])
  })

  test('reports a reference page that is out of date, prints it and ends with 1; with 0 once it is correct', async () => {
    await using tree = treeWith({})
    const page = join(tree.path, 'docs/reference/errors.md')
    const text = readFileSync(page, 'utf8')
    const run = async (): Promise<unknown> => {
      const { code, stdout, stderr } = await runProgram('node', ['scripts/docs.ts', '--check', tree.path], {
        cwd: root,
      })
      return [code, stdout, stderr]
    }

    writeFileSync(page, text.replace('BINLOG_OFF', 'BINLOG_ON'))
    const finding = 'docs/reference/errors.md: out of date; run: npm run --silent exec -- scripts/docs.ts'
    assert.deepEqual(await run(), [1, `${finding}\n`, ''])

    writeFileSync(page, text)
    assert.deepEqual(await run(), [0, '', ''])
  })

  test('reports links, paths, names and npm scripts that do not exist, and nothing else', async () => {
    const page = [
      '# A page',
      'a [good link](docs/other.md), its [heading](docs/other.md#two-words-and-code), [one of this page](#a-page)',
      'a [broken',
      'link](docs/missing.md)',
      'a [broken heading](docs/other.md#three-words)',
      'a good anchor `packages/cli/src/index.ts` and a broken one `packages/cli/src/missing.ts`',
      'a name [`name`](packages/cli/src/index.ts) and a [`lostName`](packages/cli/src/index.ts)',
      '`packages/…/file.ts` and `packages/*/src` are patterns; [the web](https://example.org/x) is not checked',
      'run `npm run check -- docs`, or `npm run chekc`',
      '```',
      'an example: [x](nowhere.md) `packages/nowhere.ts`',
      '```',
    ]
    const lines = await check({
      'README.md': page.join('\n'),
      'docs/other.md': '# Other\n\n## Two words, and `code`\n',
      'packages/cli/fixtures/theirs.md': 'text of others: [x](nowhere.md)',
    })
    assert.deepEqual(lines, [
      'README.md:3: link to docs/missing.md, which does not exist',
      'README.md:5: docs/other.md#three-words has no such heading',
      'README.md:6: packages/cli/src/missing.ts does not exist',
      'README.md:7: packages/cli/src/index.ts does not contain lostName',
      'README.md:9: package.json has no script chekc',
    ])
  })

  test('reports lines of more than 120 characters, also in code, tables and fixtures', async () => {
    const fits = 'é'.repeat(120)
    const lines = await check({
      'README.md': `${fits}\n${fits}.\n`,
      'packages/cli/fixtures/README.md': `\`\`\`\n| ${fits}\n\`\`\`\n`,
    })
    assert.deepEqual(lines, [
      'README.md:2: 121 characters; the limit is 120',
      'packages/cli/fixtures/README.md:2: 122 characters; the limit is 120',
    ])
  })
})

suite('the wrapping of generated pages', () => {
  test('wraps paragraphs and items, and leaves code, tables and headings alone', () => {
    const words = 'word '.repeat(40).trim()
    const text = [`# ${words}`, '', words, '', `- ${words}`, `| ${words} |`, '```', words, '```'].join('\n')

    const lines = wrapMarkdown(text).split('\n')

    assert.deepEqual(lines, [
      `# ${words}`,
      '',
      'word '.repeat(24).trim(),
      'word '.repeat(16).trim(),
      '',
      `- ${'word '.repeat(23).trim()}`,
      `  ${'word '.repeat(17).trim()}`,
      `| ${words} |`,
      '```',
      words,
      '```',
    ])
  })

  test('breaks no code span, and begins no line with what looks like an item', () => {
    const start = 'word '.repeat(23)
    assert.equal(wrapMarkdown(`${start}\`a code span\` end`), `${start.trim()}\n\`a code span\` end`)
    assert.equal(wrapMarkdown(`${'w'.repeat(117)} a - b`), `${'w'.repeat(117)}\na - b`)
    assert.equal(wrapMarkdown(`${'w'.repeat(115)} as 1. b`), `${'w'.repeat(115)}\nas 1. b`)
  })
})

test('every text that the troubleshooting page quotes is in the sources', () => {
  const page = readFileSync(join(root, 'docs/13-troubleshooting.md'), 'utf8')
  const items = page.split('\n').filter((line) => line.startsWith('- `'))
  const quotes = items.flatMap((line) => [...(line.split('`: ')[0] ?? '').matchAll(/`([^`]+)(?:`|$)/g)])
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .map((file) => textsOf(readFileSync(join(root, file), 'utf8')))
  assert.ok(quotes.length > 30, `${quotes.length} quotes`)

  const missing = quotes
    .map(([, quote = '']) => quote)
    .filter((quote) => !sources.some((source) => quote.split('…').every((part) => source.includes(part.trim()))))

  assert.deepEqual(missing, [], 'quote these as the code has them')
})

/** The source with texts joined that it concatenates over several lines. */
function textsOf(source: string): string {
  return source.replaceAll(/['"`]\s*\+\s*['"`]/g, '')
}

test('every error of the code is on the reference page', async () => {
  const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
  const sources = globSync(['packages/*/src/**/*.ts', 'scripts/**/*.ts'], { cwd: root })
    // Users do not see the errors of tests.
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
