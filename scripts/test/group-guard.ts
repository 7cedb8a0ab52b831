/**
 * The first import of each group of test files (group-files.ts). Fails the group unless all its files have registered
 * their tests before the first test runs: Node ends a process when the tests end that are registered by then, and would
 * leave out the others without a word.
 */
let isSynchronous = true
queueMicrotask(() => (isSynchronous = false))
let isWhole = false

process.on('exit', () => {
  if (isWhole) return
  process.exitCode = 1
  console.error(
    'Tests of this group were left out: a file, or a module that it imports, cannot be loaded or has an await at its top level. Await in the test, or give the file a process of its own (scripts/test/group-files.ts).',
  )
})

/** Called when all files of the group are loaded. */
export function endGroup(): void {
  isWhole = isSynchronous
}
