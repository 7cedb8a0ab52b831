import type { ConfigType } from './config-key.ts'

/** The wording of errors. Connect's own properties and those of connectors differ, and scripts match both. */
export interface ConfigMessages {
  missing(name: string): readonly string[]
  /** `isChecked`: the property has validators. */
  wrongType(name: string, text: string, type: ConfigType, isChecked: boolean): readonly string[]
  refused(name: string, text: string, reason: string): string
}

const WRONG_TYPE: Partial<Record<ConfigType, string>> = {
  INT: 'Not a number of type INT',
  SHORT: 'Not a number of type SHORT',
  LONG: 'Not a number of type LONG',
  DOUBLE: 'Not a number of type DOUBLE',
  BOOLEAN: 'Expected value to be either true or false',
}

/** The wording of Kafka's ConfigDef (org.apache.kafka.common.config, 4.3). */
export const kafkaMessages: ConfigMessages = {
  missing: (name) => [`Missing required configuration "${name}" which has no default value.`],
  wrongType: (name, text, type, isChecked) => {
    const first = `Invalid value ${text} for configuration ${name}: ${WRONG_TYPE[type] ?? `Not a value of type ${type}`}`
    // Connect treats a number that it cannot parse as null, which its range check refuses too: it returns both lines.
    return isChecked && type !== 'BOOLEAN'
      ? [first, `Invalid value null for configuration ${name}: Value must be non-null`]
      : [first]
  },
  refused: (name, text, reason) => `Invalid value ${text} for configuration ${name}: ${reason}`,
}
