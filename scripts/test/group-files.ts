import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Unit tests of the packages. */
const UNIT = /^packages\/[^/]+\/src\/(?!.*\.(server|full|soak|interop)\.test\.ts$)/
const FILES_PER_GROUP = 12

/**
 * A file has a process of its own if it does something to its process or to all tests in it, reads of the process what
 * other files change, or starts threads or programs.
 */
const ALONE = [
  /\bprocess\.(?!hrtime|nextTick|version|platform|arch|execPath|cwd|pid)/,
  /\bglobalThis\b/,
  /\bgc\(/,
  /\b(before|after)(Each)?\(/,
  /\bmock\./,
  /worker_threads|child_process|\bnew \w*Threads?\(|\bnew Worker\(/,
  /\b(spawn\w*|exec(Sync|File\w*)|fork|runProgram|useProgram|runCli|startService)\(/,
  /\bMAIN\b|cli-process/,
]

/**
 * Puts a dozen unit tests each into one process: most of the time of a small one is the start of its process. Returns
 * what the runner gets: the other files, and for each group a file in `folder` that imports its tests.
 */
export function groupFiles(root: string, folder: string, files: readonly string[]): readonly string[] {
  const isGrouped = (file: string): boolean => UNIT.test(file) && mayShare(readFileSync(join(root, file), 'utf8'))
  const { grouped = [], single = [] } = Object.groupBy(files, (file) => (isGrouped(file) ? 'grouped' : 'single'))
  const groups: string[] = []
  for (let i = 0; i < grouped.length; i += FILES_PER_GROUP) {
    const path = join(folder, `group-${groups.length + 1}.test.ts`)
    writeFileSync(path, groupOf(grouped.slice(i, i + FILES_PER_GROUP).map((file) => join(root, file))))
    groups.push(path)
  }
  return [...groups, ...single]
}

/** Whether a file with this text may share its process. */
export function mayShare(text: string): boolean {
  return !ALONE.some((pattern) => pattern.test(text))
}

/** The text of a file that has the tests of all these files. */
function groupOf(paths: readonly string[]): string {
  const guard = new URL('group-guard.ts', import.meta.url).href
  const imports = paths.map((path) => `import '${pathToFileURL(path).href}'\n`)
  return `import { endGroup } from '${guard}'\n${imports.join('')}endGroup()\n`
}
