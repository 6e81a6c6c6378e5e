import { Type } from 'typebox'
import { decisions } from './decisions.ts'
import { endpoint } from './endpoint.ts'
import {
  boolean,
  bounded_text,
  date_time,
  decided,
  email,
  patterned_text,
  integer,
  nullable_text,
  text,
  uuid,
} from './schema.ts'

const { username_min, username_max } = decisions['D-12'].value
const { password_min, password_max } = decisions['D-13'].value
const limits = decisions['D-06'].value

export const message_response = Type.Object({ message: text })

const username = patterned_text(
  `^[A-Za-z0-9_.-]{${username_min},${username_max}}$`,
  `be ${username_min} to ${username_max} letters, digits, dots, hyphens or underscores`,
)
const new_password = decided('D-13', bounded_text(password_min, password_max))
const password = decided('D-13', bounded_text(1, password_max))
const totp_code = decided('D-14', bounded_text(1, 64))
const code = bounded_text(1, 64)
const tier = decided('D-16', text)

export const register = endpoint({
  method: 'POST',
  path: '/api/auth/register',
  tag: 'Accounts',
  summary: 'Create an account',
  auth: 'none',
  decision: 'D-10',
  limit: { ...limits.register, setting: 'register' },
  body: Type.Object({
    email,
    password: new_password,
    username: decided('D-12', username),
    referral_code: Type.Optional(decided('D-12', bounded_text(1, 64))),
  }),
  status: [201],
  response: Type.Object({
    user: Type.Object({
      id: uuid,
      email,
      username: text,
      tier,
      email_verified: boolean,
      points: decided('D-17', integer),
      referral_code: text,
      registration_number: decided('D-16', integer),
    }),
  }),
  fails: ['email_taken', 'username_taken'],
})

export const login = endpoint({
  method: 'POST',
  path: '/api/auth/login',
  tag: 'Accounts',
  summary: 'Sign in and get a JWT',
  description: 'Accounts with two-factor authentication send `totp_code` as well: six digits, or a recovery code.',
  auth: 'none',
  decision: 'D-10',
  limit: { ...limits.login, setting: 'login' },
  body: Type.Object({
    email: decided('D-91', bounded_text(1, 254)),
    password,
    totp_code: Type.Optional(totp_code),
  }),
  response: Type.Object({
    token: text,
    user: Type.Object({
      id: uuid,
      email,
      username: text,
      tier,
      is_admin: boolean,
      email_verified: boolean,
      totp_enabled: boolean,
    }),
  }),
  fails: [
    'invalid_credentials',
    'too_many_failures',
    'totp_required',
    'invalid_totp_code',
    'totp_locked',
    'account_suspended',
  ],
})

export const logout = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  tag: 'Accounts',
  summary: 'End the login session of this JWT',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  response: message_response,
})

export const me = endpoint({
  method: 'GET',
  path: '/api/auth/me',
  tag: 'Accounts',
  summary: 'Your own profile',
  auth: 'user',
  decision: 'D-10',
  response: Type.Object({
    user: Type.Object({
      id: uuid,
      email,
      username: text,
      tier,
      tier_emoji: decided('D-16', text),
      points: integer,
      held: decided('D-97', integer),
      referral_code: text,
      signup_multiplier: decided('D-16', integer),
      email_verified: boolean,
      totp_enabled: boolean,
      is_admin: decided('D-81', boolean),
      stats: decided(
        'D-18',
        Type.Object({
          direct_referrals: integer,
          connected_apps: integer,
          total_earned: integer,
          total_spent: integer,
        }),
      ),
    }),
  }),
})

export const setupTotp = endpoint({
  method: 'POST',
  path: '/api/auth/totp/setup',
  tag: 'Accounts',
  summary: 'Start two-factor set-up: a secret and its otpauth URI',
  auth: 'user',
  decision: 'D-10',
  response: Type.Object({ secret: text, uri: text }),
  fails: ['totp_already_enabled'],
})

export const enableTotp = endpoint({
  method: 'POST',
  path: '/api/auth/totp/enable',
  tag: 'Accounts',
  summary: 'Finish two-factor set-up with a first code; recovery codes are shown once',
  auth: 'user',
  decision: 'D-10',
  body: Type.Object({ code }),
  response: Type.Object({ message: text, recovery_codes: decided('D-14', Type.Array(text)) }),
  fails: ['totp_not_set_up', 'totp_already_enabled', 'invalid_code', 'totp_locked'],
})

export const disableTotp = endpoint({
  method: 'POST',
  path: '/api/auth/totp/disable',
  tag: 'Accounts',
  summary: 'Turn two-factor authentication off',
  description: 'Needs the password and a current code (or a recovery code).',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.login, setting: 'login' },
  body: Type.Object({ password, totp_code }),
  response: message_response,
  fails: ['totp_not_enabled', 'wrong_password', 'invalid_code', 'totp_locked'],
})

export const sendVerification = endpoint({
  method: 'POST',
  path: '/api/auth/send-verification',
  tag: 'Accounts',
  summary: 'Mail a verification code to your address',
  auth: 'user',
  limit: { ...limits.send_verification, setting: 'send_verification' },
  response: message_response,
  fails: ['already_verified'],
})

export const verifyEmail = endpoint({
  method: 'POST',
  path: '/api/auth/verify-email',
  tag: 'Accounts',
  summary: 'Verify your address with the mailed code',
  auth: 'user',
  decision: 'D-11',
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({ code: decided('D-11', code) }),
  response: message_response,
  fails: ['invalid_code', 'already_verified'],
})

export const changePassword = endpoint({
  method: 'POST',
  path: '/api/auth/password/change',
  tag: 'Accounts',
  summary: 'Change your password',
  description: 'Ends every login session of the account, this one too, and answers with the JWT of a new one.',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.login, setting: 'login' },
  body: Type.Object({ current_password: password, new_password }),
  response: Type.Object({ message: text, token: text }),
  fails: ['wrong_password'],
})

export const forgotPassword = endpoint({
  method: 'POST',
  path: '/api/auth/password/forgot',
  tag: 'Accounts',
  summary: 'Mail a code that sets a new password',
  description: 'Answers alike whether or not an account has the address.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.send_verification, setting: 'send_verification' },
  body: Type.Object({ email: bounded_text(1, 254) }),
  response: message_response,
  fails: ['too_many_resets'],
})

export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/auth/password/reset',
  tag: 'Accounts',
  summary: 'Set a new password with a mailed code',
  description: 'Ends every login session, pending authorization code and app connection of the account.',
  auth: 'none',
  origin: 'extension',
  decision: 'D-15',
  limit: { ...limits.verify_email, setting: 'verify_email' },
  body: Type.Object({ code: bounded_text(1, 200), new_password }),
  response: message_response,
  fails: ['invalid_code'],
})

export const login_session = Type.Object({
  id: uuid,
  current: boolean,
  user_agent: nullable_text,
  inserted_at: date_time,
  expires_at: date_time,
})

export const listLoginSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  tag: 'Accounts',
  summary: 'Your login sessions that are not over',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  response: Type.Object({ sessions: Type.Array(login_session) }),
})

export const endLoginSession = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions/{id}',
  tag: 'Accounts',
  summary: 'End one of your login sessions',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  params: Type.Object({ id: uuid }),
  response: message_response,
  fails: ['not_found'],
})

export const endOtherLoginSessions = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions',
  tag: 'Accounts',
  summary: 'End all your login sessions but this one',
  auth: 'user',
  origin: 'extension',
  decision: 'D-15',
  response: message_response,
})
