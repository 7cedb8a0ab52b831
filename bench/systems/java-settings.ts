/** The collector as Kafka's own start scripts set it. */
const COLLECTOR: readonly string[] = [
  '-server',
  '-XX:+UseG1GC',
  '-XX:MaxGCPauseMillis=20',
  '-XX:InitiatingHeapOccupancyPercent=35',
  '-XX:+ExplicitGCInvokesConcurrent',
  '-Djava.awt.headless=true',
]

/** The largest heap of the reference unless a row says otherwise, in megabytes. */
export const HEAP_MAX_MB = 1024
/** What `connect-distributed.sh` begins with. */
const HEAP_START_MB = 256

/** Arguments of Java for the reference's worker. */
export function javaSettings(heapMaxMb: number): readonly string[] {
  return [`-Xms${Math.min(HEAP_START_MB, heapMaxMb)}M`, `-Xmx${heapMaxMb}M`, ...COLLECTOR]
}
