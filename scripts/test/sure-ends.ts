/** Loaded with each test file: a process whose tests are over ends. Once in some 20,000 it did not, and held the whole run. */
import { isMainThread } from 'node:worker_threads'
import { awaitCompilers } from '@tributary/support'

// The end of a thread is not that of the process.
if (isMainThread) process.on('exit', awaitCompilers)
