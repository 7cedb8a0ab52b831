// The entry of a task's thread in the packed program. Enables the compile cache again, because threads do not inherit
// it.
import module from 'node:module'

module.enableCompileCache?.()
await import(new URL('./thread.js', import.meta.url))
