/** Version of the connectors: `source.version` of their events, and what the plug-in list shows. */
export const CONNECTOR_VERSION = '0.1.0'
