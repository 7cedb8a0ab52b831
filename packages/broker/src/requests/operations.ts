/** Bits of the operations that a client may do, as a broker without an authorizer returns them. */
export const TOPIC_OPERATIONS = 3576
export const CLUSTER_OPERATIONS = 8096
export const GROUP_OPERATIONS = 3400
/** The client has not asked for them. */
export const NOT_REQUESTED: number = -(2 ** 31)
