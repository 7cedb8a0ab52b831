import manifest from '../package.json' with { type: 'json' }

/** The version that brokers see in their metrics. */
export const KAFKA_CLIENT_VERSION: string = manifest.version
