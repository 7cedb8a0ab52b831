import { connectErrors, type ConfigValues } from '@tributary/connect-api'
import { toError } from '@tributary/support'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

const PREFIX = 'schema.registry.ssl'

/** Converts Java's TLS properties to Node's options. Reads the files once, when the converter is configured. */
export function tlsOptions(values: ConfigValues): ConnectionOptions {
  const options: ConnectionOptions = {}
  const trusted = values.optionalString(`${PREFIX}.truststore.certificates`)
  const trustStore = values.optionalString(`${PREFIX}.truststore.location`)
  if (trusted !== null) options.ca = trusted
  else if (trustStore !== null) options.ca = readPem(trustStore, `${PREFIX}.truststore`, values)
  const keyStore = values.optionalString(`${PREFIX}.keystore.location`)
  if (keyStore !== null) {
    const passphrase =
      values.optionalString(`${PREFIX}.key.password`) ?? values.optionalString(`${PREFIX}.keystore.password`)
    if (passphrase !== null) options.passphrase = passphrase
    if (typeOf(`${PREFIX}.keystore`, keyStore, values) === 'PKCS12')
      options.pfx = readFile(keyStore, `${PREFIX}.keystore`)
    else {
      const pem = readFile(keyStore, `${PREFIX}.keystore`)
      options.cert = pem
      options.key = pem
    }
  }
  const algorithm = values.optionalString(`${PREFIX}.endpoint.identification.algorithm`)
  if (algorithm === null || algorithm === '') options.checkServerIdentity = () => undefined
  return options
}

/** A trust store must be PEM, because Node uses the certificates of a PKCS12 file only for its own key. */
function readPem(path: string, property: string, values: ConfigValues): Buffer {
  if (typeOf(property, path, values) !== 'PEM') {
    const reason = `a trust store is a PEM file (openssl pkcs12 -in ${path} -nokeys -out trusted.pem)`
    throw connectErrors.CONVERTER_OPTION({ name: `${property}.location`, value: path, reason })
  }
  return readFile(path, property)
}

function typeOf(property: string, path: string, values: ConfigValues): 'PEM' | 'PKCS12' {
  const given = values.optionalString(`${property}.type`)?.toUpperCase()
  const type = given ?? (/\.(p12|pfx)$/i.test(path) ? 'PKCS12' : 'PEM')
  if (type === 'PEM' || type === 'PKCS12') return type
  const reason = 'PEM and PKCS12 can be read (keytool -importkeystore converts JKS to PKCS12)'
  throw connectErrors.CONVERTER_OPTION({ name: `${property}.type`, value: given ?? type, reason })
}

function readFile(path: string, property: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw connectErrors.CONVERTER_OPTION(
      { name: `${property}.location`, value: path, reason: toError(error).message },
      error,
    )
  }
}
