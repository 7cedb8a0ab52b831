import manifest from '../package.json' with { type: 'json' }

/** The version of every converter of this package. */
export const TRANSFORMS_VERSION: string = manifest.version
