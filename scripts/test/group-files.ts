import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Unit tests of the packages. */
const UNIT = /^packages\/[^/]+\/src\/(?!.*\.(server|full|soak|interop)\.test\.ts$)/
/**
 * What a file does to its process or to all tests in it, or reads of the process; and programs that it starts, which are
 * not to wait for those of others.
 */
const WHOLE_PROCESS =
  /\b(process\.(env|on|once|exit|chdir|memoryUsage|cpuUsage|std\w+)|globalThis|gc\(|node:worker_threads|(before|after)(Each)?\(|spawn|runProgram|useProgram|MAIN)\b/
const FILES_PER_GROUP = 12

/**
 * Puts a dozen unit tests each into one process: most of the time of a small one is the start of its process. Returns
 * what the runner gets: the other files, and for each group a file in `folder` that imports its tests.
 */
export function groupFiles(root: string, folder: string, files: readonly string[]): readonly string[] {
  const isGrouped = (file: string): boolean =>
    UNIT.test(file) && !WHOLE_PROCESS.test(readFileSync(join(root, file), 'utf8'))
  const { grouped = [], single = [] } = Object.groupBy(files, (file) => (isGrouped(file) ? 'grouped' : 'single'))
  const groups: string[] = []
  for (let i = 0; i < grouped.length; i += FILES_PER_GROUP) {
    const urls = grouped.slice(i, i + FILES_PER_GROUP).map((file) => pathToFileURL(join(root, file)).href)
    const path = join(folder, `group-${groups.length + 1}.test.ts`)
    writeFileSync(path, urls.map((url) => `import '${url}'\n`).join(''))
    groups.push(path)
  }
  return [...groups, ...single]
}
