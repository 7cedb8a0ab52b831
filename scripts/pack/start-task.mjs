// The entry of a task's thread in the packed program. A thread does not take over that the program keeps compiled code between runs.
import module from 'node:module'

module.enableCompileCache?.()
await import(new URL('./task-thread.js', import.meta.url))
