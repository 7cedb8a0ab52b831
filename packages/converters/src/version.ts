import manifest from '../package.json' with { type: 'json' }

/** The version of every converter of this package. */
export const CONVERTERS_VERSION: string = manifest.version
