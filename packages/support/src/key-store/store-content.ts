/** A private key with its certificates. */
export interface KeyEntry {
  readonly alias: string
  /** DER, beginning with the certificate of the key. */
  readonly chain: readonly Buffer[]
  /** The key as PKCS#8, DER. Decrypts it; throws KeyStoreError. */
  readonly privateKey: (password: string | null) => Buffer
}

/** What a store contains, in its order. */
export interface StoreContent {
  /** Certificates that the store marks as trusted, DER. */
  readonly trusted: readonly Buffer[]
  readonly keys: readonly KeyEntry[]
}
