/**
 * Loaded into a service with `--import`: logs for each of its threads whether poison is on, the mode that overwrites
 * memory after each poll (docs/adr/0023).
 */
import { isPoisonOn } from '@tributary/support'
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const STDERR = 2
writeSync(STDERR, `poison in ${isMainThread ? 'the main thread' : 'a task thread'}: ${isPoisonOn}\n`)
