/** Why a key store cannot be used: a clause about the file, for the message of a coded error. */
export class KeyStoreError extends Error {
  override readonly name: string = 'KeyStoreError'
  /** Whether another password may help. */
  readonly isAboutPassword: boolean

  constructor(reason: string, isAboutPassword = false) {
    super(reason)
    this.isAboutPassword = isAboutPassword
  }
}

export function wrongPassword(): KeyStoreError {
  return new KeyStoreError('its password is wrong, or the file is damaged', true)
}

export function noPassword(): KeyStoreError {
  return new KeyStoreError('it is encrypted, and no password is set', true)
}

export function wrongKeyPassword(): KeyStoreError {
  return new KeyStoreError('the password of its private key is wrong, or the key is damaged', true)
}

export function damaged(where: string): KeyStoreError {
  return new KeyStoreError(`the file is damaged (${where})`)
}
