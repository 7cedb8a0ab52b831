/** Version of the connectors: in `source.version` of their events and in the list of plug-ins. */
export const CONNECTOR_VERSION = '0.1.0'
