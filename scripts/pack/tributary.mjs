#!/usr/bin/env node
// The command of the packed program. Plain JavaScript that an old Node can read: it says which one is needed.
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 2)) {
  process.stderr.write(
    `tributary: Node.js 22.2 or later is needed; this is ${process.versions.node} (${process.execPath})\n`,
  )
  process.exit(1)
}
if (process.argv[2] === 'start') (await import('./begin-small.mjs')).beginSmall()
// The compiled code is kept between runs, in the folder that Node chooses (NODE_COMPILE_CACHE, else the system's temporary
// folder, by user); NODE_DISABLE_COMPILE_CACHE=1 does without.
module.enableCompileCache?.()
await import(new URL('../dist/main.js', import.meta.url))
