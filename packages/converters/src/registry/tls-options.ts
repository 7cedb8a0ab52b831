import { connectErrors, type ConfigValues } from '@tributary/connect-api'
import { pemProblem, readStoreFile, tlsFailureText, toError } from '@tributary/support'
import { type ConnectionOptions, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'

const PREFIX = 'schema.registry.ssl'

/** Converts Java's TLS properties to Node's options. Reads the files once, when the converter is configured. */
export function tlsOptions(values: ConfigValues): ConnectionOptions {
  const options: SecureContextOptions = {}
  const trusted = values.optionalString(`${PREFIX}.truststore.certificates`)
  const trustStore = values.optionalString(`${PREFIX}.truststore.location`)
  if (trusted !== null) options.ca = usable(trusted, `${PREFIX}.truststore.certificates`, '(PEM)')
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
  const isUnchecked = algorithm === null || algorithm === ''
  return { secureContext: contextOf(options, keyStore), ...(isUnchecked && { checkServerIdentity: () => undefined }) }
}

/** Only the key store can be unusable here: the trusted certificates have been parsed. */
function contextOf(options: SecureContextOptions, keyStore: string | null): SecureContext {
  try {
    return createSecureContext(options)
  } catch (error) {
    const password = options.passphrase === undefined ? 'no password is set' : 'a password is set'
    const reason = `OpenSSL cannot use its key or certificate (${tlsFailureText(toError(error))}; ${password})`
    throw connectErrors.CONVERTER_OPTION({ name: `${PREFIX}.keystore.location`, value: keyStore ?? '', reason }, error)
  }
}

/** A trust store must be PEM, because Node uses the certificates of a PKCS12 file only for its own key. */
function readPem(path: string, property: string, values: ConfigValues): string {
  if (typeOf(property, path, values) !== 'PEM') {
    const reason = `a trust store is a PEM file (openssl pkcs12 -in ${path} -nokeys -out trusted.pem)`
    throw connectErrors.CONVERTER_OPTION({ name: `${property}.location`, value: path, reason })
  }
  return usable(readFile(path, property).toString(), `${property}.location`, path)
}

function usable(pem: string, name: string, value: string): string {
  const reason = pemProblem(pem)
  if (reason !== null) throw connectErrors.CONVERTER_OPTION({ name, value, reason })
  return pem
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
    return readStoreFile(path)
  } catch (error) {
    throw connectErrors.CONVERTER_OPTION(
      { name: `${property}.location`, value: path, reason: toError(error).message },
      error,
    )
  }
}
