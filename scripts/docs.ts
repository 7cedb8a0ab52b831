/**
 * Writes the generated pages of docs/reference, or checks the documentation.
 *
 *     npm run --silent exec -- scripts/docs.ts              writes the pages
 *     npm run check -- docs                                 checks that the pages are up to date, that no line is too
 *                                                           long, and that everything that the documents link to or
 *                                                           name exists
 *     npm run --silent exec -- scripts/docs.ts --check DIR  checks the documents of another tree
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findingsIn } from './docs/findings.ts'
import { generatedPages } from './docs/pages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
if (args[0] === '--check' && args.length <= 2) check(resolve(root, args[1] ?? '.'))
else if (args.length === 0) write()
else {
  console.error('usage: docs.ts [--check [DIR]]')
  process.exitCode = 2
}

function write(): void {
  for (const { path, text } of generatedPages()) {
    writeFileSync(join(root, path), text)
    console.log(path)
  }
}

function check(folder: string): void {
  const findings = findingsIn(folder)
  for (const finding of findings) console.log(finding)
  process.exitCode = findings.length === 0 ? 0 : 1
}
