/** The garbage collector settings of Kafka's start scripts. */
const COLLECTOR: readonly string[] = [
  '-server',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-Djava.awt.headless=true',
]

/** Default maximum heap of the reference in megabytes. */
export const HEAP_MAX_MB = 1024
/** The initial heap in `connect-distributed.sh`. */
const HEAP_START_MB = 256

/** Java's arguments for the reference's worker. */
export function javaSettings(heapMaxMb: number): readonly string[] {
  return [`-Xms${Math.min(HEAP_START_MB, heapMaxMb)}M`, `-Xmx${heapMaxMb}M`, ...COLLECTOR]
}
