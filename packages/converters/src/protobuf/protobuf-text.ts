import type { Schema } from '@tributary/connect-api'
import type { ProtoField, ProtoFile, ProtoMessage } from './protobuf-model.ts'

/** Returns the file as Confluent's converter registers it, byte for byte. */
export function protobufText({ packageName, imports, root }: ProtoFile): string {
  const lines = [
    'syntax = "proto3";',
    ...(packageName === null ? [] : [`package ${packageName};`]),
    '',
    ...(imports.length === 0 ? [] : [...imports.map((file) => `import "${file}";`), '']),
    ...messageLines(root),
  ]
  return `${lines.join('\n')}\n`
}

function messageLines({ name, fields, nested }: ProtoMessage): readonly string[] {
  if (fields.length === 0) return [`message ${name} {}`]
  const inner = [
    ...fields.flatMap(fieldLines),
    // The blank line is within the message: in a nested one it is indented.
    ...(nested.length === 0 ? [] : ['', ...nested.flatMap(messageLines)]),
  ]
  return [`message ${name} {`, ...inner.map(indented), '}']
}

/** Empty lines of nested messages have the spaces of the enclosing one. */
function indented(line: string, at: number, lines: readonly string[]): string {
  const isOwnBlank = line === '' && lines.indexOf('') === at
  return isOwnBlank ? '' : `  ${line}`
}

function fieldLines({ name, number, label, type, params }: ProtoField): readonly string[] {
  const start = `${label === null ? '' : `${label} `}${type} ${name} = ${number}`
  if (params.length === 0) return [`${start};`]
  const entries = params.flatMap(([key, value], i) => {
    const [keyLine, valueLine] = [`key: "${key}"`, `value: "${value}"`]
    const [first, second] = key === 'connect.type' ? [keyLine, valueLine] : [valueLine, keyLine]
    return ['    {', `      ${first},`, `      ${second}`, i === params.length - 1 ? '    }' : '    },']
  })
  return [`${start} [(confluent.field_meta) = {`, '  params: [', ...entries, '  ]', '}];']
}

/** The messages of Google's file of wrappers, in its order, which is that of the message indexes. */
const WRAPPERS: readonly (readonly [message: string, type: string, of: readonly Schema['type'][]])[] = [
  ['DoubleValue', 'double', ['double']],
  ['FloatValue', 'float', ['float']],
  ['Int64Value', 'int64', ['int64']],
  ['UInt64Value', 'uint64', []],
  ['Int32Value', 'int32', ['int8', 'int16', 'int32']],
  ['UInt32Value', 'uint32', []],
  ['BoolValue', 'bool', ['boolean']],
  ['StringValue', 'string', ['string']],
  ['BytesValue', 'bytes', ['bytes']],
]

/** The position of the wrapper of a scalar in its file; -1 for other types. */
export function wrapperIndex({ type }: Schema): number {
  return WRAPPERS.findIndex(([, , types]) => types.includes(type))
}

const WRAPPER_OPTIONS: readonly string[] = [
  'java_package = "com.google.protobuf"',
  'java_outer_classname = "WrappersProto"',
  'java_multiple_files = true',
  'go_package = "google.golang.org/protobuf/types/known/wrapperspb"',
  'cc_enable_arenas = true',
  'objc_class_prefix = "GPB"',
  'csharp_namespace = "Google.Protobuf.WellKnownTypes"',
]

/** The file that is registered for keys and values that are scalars. */
export function wrappersText(): string {
  const lines = [
    'syntax = "proto3";',
    'package google.protobuf;',
    '',
    ...WRAPPER_OPTIONS.map((option) => `option ${option};`),
    '',
    ...WRAPPERS.flatMap(([message, type]) => [
      `message ${message} {`,
      `  ${type} value = 1 [json_name = "value"];`,
      '}',
    ]),
  ]
  return `${lines.join('\n')}\n`
}
