import type { ConfigMap } from '@tributary/connect-api'
import type { ColumnConverter, Conversion, ConvertibleColumn } from './column-converter.ts'
import { namesIn, optionsOf } from './converter-options.ts'
import { converterClassOf } from './converter-classes.ts'

/** What converts columns. */
export interface ColumnConversions {
  /** Null: no converter is for the column. */
  conversionOf(column: ConvertibleColumn): Conversion | null
}

/** The converters of a connector, in the order of `converters`: the first that is for a column converts it. */
export class ColumnConverters implements ColumnConversions {
  readonly #converters: readonly ColumnConverter[]

  /** @throws SyntaxError for options that `converterRefusals` refuses */
  constructor(config: ConfigMap) {
    this.#converters = namesIn(config['converters']).flatMap((name) => {
      const options = optionsOf(config, name)
      return converterClassOf(options['type'])?.create(options) ?? []
    })
  }

  /** Null: no converter is for the column. */
  conversionOf(column: ConvertibleColumn): Conversion | null {
    for (const converter of this.#converters) {
      const conversion = converter.conversionOf(column)
      if (conversion !== null) return conversion
    }
    return null
  }
}
