import type { ConnectValue, HeaderConverter, Schema } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'

/** The bytes of a header, after bytes of another one that stay as they are. */
export function headerBytes(converter: HeaderConverter, schema: Schema | null, value: ConnectValue): Buffer | null {
  const out = new ByteWriter(8)
  out.ascii('before')
  const isWritten = converter.write(schema, value, out)
  const bytes = out.copy()
  if (bytes.subarray(0, 6).toString() !== 'before' || (!isWritten && bytes.length > 6)) {
    throw new Error(`the bytes are ${bytes.toString()}`)
  }
  return isWritten ? bytes.subarray(6) : null
}
