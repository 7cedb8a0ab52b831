/**
 * Loaded with each test file: waits for V8's compiler threads at exit. Without that, about one process in 20,000 hung
 * after its tests and blocked the whole run.
 */
import { isMainThread } from 'node:worker_threads'
import { awaitCompilers } from '@tributary/support'

// Not at the end of a worker thread, because the process continues.
if (isMainThread) process.on('exit', awaitCompilers)
