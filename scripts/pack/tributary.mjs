#!/usr/bin/env node
// The command of the packed program. Plain JavaScript that old Node versions can parse, so that it can report the
// required version.
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 2)) {
  process.stderr.write(
    `tributary: requires Node.js 22.2 or later; this is ${process.versions.node} (${process.execPath})\n`,
  )
  process.exit(1)
}
if (process.argv[2] === 'start') (await import('./limit-memory.mjs')).limitMemory()
// Keeps compiled code between runs in the folder that Node chooses (NODE_COMPILE_CACHE, or else the user's folder in
// the system's temporary folder). NODE_DISABLE_COMPILE_CACHE=1 disables it.
module.enableCompileCache?.()
await import(new URL('../dist/main.js', import.meta.url))
