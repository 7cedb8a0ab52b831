/** A thousand times the size of an ordinary connector, and as much as a broker accepts in one record of the config topic. */
export const FILE_BYTES_MAX: number = 1024 * 1024

/** Levels of lists, objects and blocks within each other. Kubernetes documents have about fifteen. */
export const DEPTH_MAX = 50

/** Values of a file, with those that aliases repeat. A connector has about a hundred. */
export const VALUES_MAX = 10_000

/** Connectors in one file. Each is registered by a request of its own. */
export const CONNECTORS_MAX = 1_000
