import manifest from '../package.json' with { type: 'json' }

/** The version of the client in the brokers' metrics. */
export const KAFKA_CLIENT_VERSION: string = manifest.version
