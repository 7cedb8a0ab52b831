/**
 * Pauses between attempts to reach a broker: at most a second, as `reconnect.backoff.max.ms` of Kafka's clients. A task
 * that stops has five seconds for its last offsets, and may need several attempts, one after the other: to connect, to
 * look up the leader, to write.
 */
export const RECONNECT_PAUSES = { initialMs: 50, maxMs: 1000 } as const
