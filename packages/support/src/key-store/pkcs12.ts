import { timingSafeEqual, X509Certificate } from 'node:crypto'
import { DerReader } from './der-reader.ts'
import { damaged, KeyStoreError, noPassword, wrongKeyPassword, wrongPassword } from './key-store-error.ts'
import type { KeyEntry, StoreContent } from './store-content.ts'
import { decrypt, IterationBudget, macOf } from './pkcs12-cipher.ts'

/*
 * RFC 7292:
 *   PFX           { version, authSafe ContentInfo, macData OPTIONAL }
 *   ContentInfo   { type, [0] content }          content: OCTET STRING, or EncryptedData
 *   authSafe      → sequence of ContentInfo, each → SafeContents = sequence of SafeBag
 *   SafeBag       { type, [0] value, attributes SET OPTIONAL }
 */
const DATA = '1.2.840.113549.1.7.1'
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6'
const BAG = '1.2.840.113549.1.12.10.1'
const KEY_BAG = `${BAG}.1`
const SHROUDED_KEY_BAG = `${BAG}.2`
const CERTIFICATE_BAG = `${BAG}.3`
const SAFE_CONTENTS_BAG = `${BAG}.6`
const X509 = '1.2.840.113549.1.9.22.1'
const FRIENDLY_NAME = '1.2.840.113549.1.9.20'
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21'
/** Java's mark of a certificate that is trusted, not only part of a chain. */
const TRUSTED_KEY_USAGE = '2.16.840.1.113894.746875.1.1'
/** Safe contents may contain safe contents. */
const NESTING_MAX = 4
/** More certificates than any authority has below a root. */
const CHAIN_MAX = 20

interface Attributes {
  readonly name: string | null
  readonly keyId: string | null
  readonly isTrusted: boolean
}

interface Bags {
  readonly certificates: (Attributes & { readonly der: Buffer })[]
  readonly keys: (Attributes & { readonly privateKey: (password: string | null) => Buffer })[]
}

interface Opening {
  readonly password: string | null
  readonly budget: IterationBudget
  readonly bags: Bags
}

/** Reads a PKCS#12 store. Throws KeyStoreError. */
export function readPkcs12(store: Buffer, password: string | null): StoreContent {
  const opening: Opening = { password, budget: new IterationBudget(), bags: { certificates: [], keys: [] } }
  const [, authSafe, macData] = new DerReader(store).sequence()
  if (authSafe === undefined) throw damaged('it is empty')
  const { type, content } = contentInfo(authSafe)
  if (type !== DATA) throw new KeyStoreError('it is protected by a signature, which is not supported')
  const safe = content.octets()
  if (macData !== undefined && password !== null) checkMac(safe, macData, opening)
  for (const part of new DerReader(safe).sequence()) readContents(part, opening)
  const { certificates, keys } = opening.bags
  return {
    trusted: certificates.filter(({ isTrusted }) => isTrusted).map(({ der }) => der),
    keys: keys.map((key, i) => keyEntry(key, i, certificates)),
  }
}

function contentInfo(value: DerReader): { readonly type: string; readonly content: DerReader } {
  const [type, explicit] = value.sequence()
  const content = explicit?.tagged(0)[0]
  if (type === undefined || content === undefined) throw damaged('a part has no content')
  return { type: type.oid(), content }
}

function checkMac(safe: Buffer, macData: DerReader, { password, budget }: Opening): void {
  const expected = macData.sequence()[0]?.sequence()[1]?.octets()
  const actual = macOf(safe, macData, password ?? '', budget)
  if (expected === undefined || expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw wrongPassword()
  }
}

function readContents(part: DerReader, opening: Opening): void {
  const { type, content } = contentInfo(part)
  if (type === DATA) return readBags(new DerReader(content.octets()), opening, 0)
  if (type !== ENCRYPTED_DATA) throw new KeyStoreError('a part is encrypted for a public key, which is not supported')
  const [, algorithm, encrypted] = content.sequence()[1]?.sequence() ?? []
  if (algorithm === undefined || encrypted === undefined) throw damaged('an encrypted part has no content')
  const { password, budget } = opening
  if (password === null) throw noPassword()
  const plain = decrypt(algorithm, encrypted.implicitOctets(0), password, budget)
  if (plain === null) throw wrongPassword()
  readBags(new DerReader(plain), opening, 0)
}

function readBags(contents: DerReader, opening: Opening, nesting: number): void {
  if (nesting > NESTING_MAX) throw damaged('its parts are nested too deeply')
  const { bags, budget } = opening
  for (const bag of contents.sequence()) {
    const [type, explicit, attributeSet] = bag.sequence()
    const value = explicit?.tagged(0)[0]
    if (type === undefined || value === undefined) throw damaged('an entry has no value')
    const attributes = attributesOf(attributeSet)
    switch (type.oid()) {
      case KEY_BAG:
        bags.keys.push({ ...attributes, privateKey: () => value.whole })
        break
      case SHROUDED_KEY_BAG:
        bags.keys.push({ ...attributes, privateKey: (password) => decryptKey(value, password, budget) })
        break
      case CERTIFICATE_BAG:
        bags.certificates.push({ ...attributes, der: certificateOf(value) })
        break
      case SAFE_CONTENTS_BAG:
        readBags(value, opening, nesting + 1)
        break
      default:
      // Revocation lists and secret keys, which TLS does not use.
    }
  }
}

function decryptKey(info: DerReader, password: string | null, budget: IterationBudget): Buffer {
  const [algorithm, encrypted] = info.sequence()
  if (algorithm === undefined || encrypted === undefined) throw damaged('a key has no content')
  if (password === null) throw noPassword()
  const plain = decrypt(algorithm, encrypted.octets(), password, budget)
  if (plain?.[0] !== 0x30) throw wrongKeyPassword()
  return plain
}

function certificateOf(value: DerReader): Buffer {
  const [type, explicit] = value.sequence()
  const content = explicit?.tagged(0)[0]
  if (type?.oid() !== X509 || content === undefined)
    throw new KeyStoreError('it contains a certificate of another type')
  return content.octets()
}

function attributesOf(set: DerReader | undefined): Attributes {
  let name: string | null = null
  let keyId: string | null = null
  let isTrusted = false
  for (const attribute of set?.set() ?? []) {
    const [type, values] = attribute.sequence()
    const value = values?.set()[0]
    const oid = type?.oid()
    if (oid === FRIENDLY_NAME && value !== undefined) name = value.bmpString()
    else if (oid === LOCAL_KEY_ID && value !== undefined) keyId = value.octets().toString('hex')
    else if (oid === TRUSTED_KEY_USAGE) isTrusted = true
  }
  return { name, keyId, isTrusted }
}

type Certificate = Bags['certificates'][number]

/** The certificate with the id of the key, followed by those of its authorities, by their names. */
function keyEntry(key: Bags['keys'][number], index: number, certificates: readonly Certificate[]): KeyEntry {
  const alias = key.name ?? `number ${index + 1}`
  const own = certificates.find(({ keyId }) => keyId !== null && keyId === key.keyId)
  const chain = own === undefined ? [] : chainOf(own.der, certificates)
  return { alias, chain, privateKey: key.privateKey }
}

function chainOf(own: Buffer, certificates: readonly Certificate[]): readonly Buffer[] {
  const chain = [own]
  try {
    const known = certificates.map(({ der }) => new X509Certificate(der))
    let last = new X509Certificate(own)
    while (last.issuer !== last.subject && chain.length < CHAIN_MAX) {
      const { issuer } = last
      const authority = known.find(({ subject }) => subject === issuer)
      if (authority === undefined) break
      chain.push(authority.raw)
      last = authority
    }
  } catch {
    throw damaged('one of its certificates cannot be read')
  }
  return chain
}
