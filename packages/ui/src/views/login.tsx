import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { basicHeader, bearerHeader, storeLogin } from '../api/login.ts'

export interface LoginProps {
  /** The worker has refused the login of this tab. */
  readonly hasFailed: boolean
  readonly onLogin: () => void
}

/** Asks for a name and a password, or a token. They are kept for this tab only. */
export function LoginView({ hasFailed, onLogin }: LoginProps): VNode {
  const [kind, setKind] = useState<'password' | 'token'>('password')
  const [user, setUser] = useState('')
  const [secret, setSecret] = useState('')
  return (
    <main class="login">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          storeLogin(kind === 'password' ? basicHeader(user, secret) : bearerHeader(secret))
          onLogin()
        }}
      >
        <h1>Tributary</h1>
        {hasFailed ? (
          <p class="error" role="alert">
            The worker does not accept this login.
          </p>
        ) : (
          <p>This worker needs a login.</p>
        )}
        <fieldset class="choice">
          <legend class="hidden">Kind of login</legend>
          {(['password', 'token'] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              {each === 'password' ? 'Password' : 'Token'}
            </label>
          ))}
        </fieldset>
        {kind === 'token' ? null : (
          <label class="field">
            <span>User</span>
            <input
              name="user"
              autocomplete="username"
              required
              value={user}
              onInput={({ currentTarget }) => setUser(currentTarget.value)}
            />
          </label>
        )}
        <label class="field">
          <span>{kind === 'password' ? 'Password' : 'Token'}</span>
          <input
            name="secret"
            type="password"
            autocomplete="current-password"
            required
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </main>
  )
}
