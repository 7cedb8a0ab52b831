import { join } from 'node:path'
import { runKafkaTool } from '@tributary/testkit'
import { CLIENTS_FOLDER, linesOf, type ClientWork } from './client-work.ts'

/** A program of the folder `clients/java` with the clients of a version of Kafka; default: the current one. */
export function javaWork(program: string, version?: string): ClientWork {
  const options = version === undefined ? {} : { version }
  // Java compiles a source file that is named instead of a class.
  return (server, prefix) => linesOf(runKafkaTool(join(CLIENTS_FOLDER, 'java', program), [server, prefix], options))
}
