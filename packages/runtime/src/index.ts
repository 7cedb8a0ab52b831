/**
 * The Connect runtime. It knows no connector and no converter: plug-ins are handed in.
 *
 *     const worker = await ConnectWorker.start({ properties, plugins, taskThreadUrl, … })
 *     await worker.stop()
 */
export { propertiesOfEnvironment } from './config/environment.ts'
export { parseProperties } from './config/properties-file.ts'
export { ConnectWorker } from './connect-worker.ts'
export type { ConnectWorkerOptions } from './connect-worker.ts'
export { runtimeErrors } from './errors.ts'
export { runTaskThread } from './task/task-thread.ts'
