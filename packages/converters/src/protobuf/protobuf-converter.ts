import type { ConverterPlugin } from '@tributary/connect-api'
import { systemClock, type Clock } from '@tributary/support'
import { RegisteredConverter } from '../registered/registered-converter.ts'
import { CONVERTERS_VERSION } from '../version.ts'
import { ProtobufFormat } from './protobuf-format.ts'
import { parseProtobufOptions } from './protobuf-options.ts'

/** Confluent's ProtobufConverter. */
export class ProtobufConverter extends RegisteredConverter {
  constructor(clock: Clock = systemClock) {
    super(
      {
        isConfluentOnly: true,
        configure: (options, { role }) => new ProtobufFormat(parseProtobufOptions(options), role),
      },
      clock,
    )
  }
}

export const protobufConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'io.confluent.connect.protobuf.ProtobufConverter',
  aliases: ['protobuf'],
  version: CONVERTERS_VERSION,
  create: () => new ProtobufConverter(),
}
