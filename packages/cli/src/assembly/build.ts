/** What differs between the sources and the packed program: scripts/pack puts a module of its own in the place of this one. */

/** Identifies the build in `GET /`: the commit that a package was made of. */
export const BUILD_COMMIT: string = 'unknown'

/** Entry file of a task's thread. */
export const TASK_THREAD: URL = new URL('./task-thread.ts', import.meta.url)
