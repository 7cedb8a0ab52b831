import { fileURLToPath } from 'node:url'
import { runProgram } from '../process/run-program.ts'
import type { ProgramResult, RunOptions } from '../process/run-program.ts'
import { javaProgram } from '../provision/java.ts'
import { kafkaClassPath } from './kafka-jars.ts'

/**
 * For short Java programs and test brokers, in which the second compiler and a concurrent collector cost more than they
 * save.
 */
export const FAST_START: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** Log settings for Java programs, which log to standard error; for brokers that is their log file. */
export function logSettings(level: KafkaLogLevel = 'WARN'): readonly string[] {
  const file = fileURLToPath(new URL('../../kafka/log4j2.xml', import.meta.url))
  return [`-Dlog4j2.configurationFile=${file}`, `-Dlog.level=${level}`]
}

export type KafkaLogLevel = 'ERROR' | 'WARN' | 'INFO' | 'DEBUG'

/**
 * Runs one of Kafka's command line tools, or any main class of its jars, until it ends.
 *
 *     const { stdout } = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [
 *       '--bootstrap-server', kafka.bootstrapServers[0], '--topic', 't', '--from-beginning', '--max-messages', '1'])
 */
export async function runKafkaTool(
  mainClass: string,
  args: readonly string[],
  { javaArgs = SMALL, version, ...options }: KafkaToolOptions = {},
): Promise<ProgramResult> {
  const java = [...javaArgs, ...logSettings('ERROR'), '-cp', await kafkaClassPath(version), mainClass]
  return runProgram(await javaProgram(), [...java, ...args], options)
}

export interface KafkaToolOptions extends RunOptions {
  /** Heap, collector and compilers. Default: a fast start and little memory. */
  readonly javaArgs?: readonly string[]
  /** An older version of Kafka: `2.8.2`. */
  readonly version?: string
}

const SMALL: readonly string[] = ['-Xmx256m', ...FAST_START]
