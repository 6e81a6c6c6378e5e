/** The sentences of responses with a `message` for people. The console has each of them in every language. */
export const success_messages = {
  signed_out: 'You are signed out.',
  language_set: 'Mails to you are in this language from now on.',
  code_mailed: 'A verification code is on its way to your e-mail address.',
  address_verified: 'Your e-mail address is verified.',
  totp_on: 'Two-factor authentication is on. Keep the recovery codes: they are shown only now.',
  totp_off: 'Two-factor authentication is off.',
  recovery_codes_new: 'These are your new recovery codes. They are shown only now; those from before are void.',
  address_proved: 'Thank you. An admin can take your second factor away now.',
  address_code_mailed: 'A code is on its way to the new address. Until it comes back, your address stays.',
  address_kept: 'Your address stays as it is.',
  address_changed: 'Your address is changed, and verified.',
  change_undone:
    'Your account is as it was before the change, and everybody is signed out. Sign in with your new password.',
  change_taken_back:
    'Your account is as it was before the change, and everybody is signed out. Sign in with your password.',
  name_changed: 'Your name is changed.',
  password_changed: 'Your password is changed, and you are signed out everywhere else.',
  reset_mailed: 'If an account has this address, a mail with a code is on its way to it.',
  password_reset: 'Your new password is set. Sign in with it.',
  session_over: 'The session is over.',
  sessions_over: 'All your other sessions are over.',
  passkey_removed: 'The passkey is removed. Remove it from your device or password manager too.',
  passkey_asked: 'Signing in with your password now asks for a passkey too.',
  passkey_not_asked: 'Signing in with your password no longer asks for a passkey.',
  account_deleted: 'Your account is deleted. The rest of your data is erased within minutes.',
  person_code_mailed: 'A verification code is on its way to the address of the person.',
  proof_mailed: 'A code is on its way to the address of the person. Ask for it, or wait until they open the link.',
  person_proved: 'The address is proved. You can take the second factor away now.',
  second_factor_taken: 'The second factor is taken away, and the person is signed out everywhere.',
  secret_deleted: 'The secret is deleted and works no more.',
  app_disconnected: 'The app is disconnected: its tokens work no more.',
  team_deleted: 'The team is deleted.',
  member_removed: 'The person is no member any more.',
  team_left: 'You left the team.',
  invitation_withdrawn: 'The invitation is withdrawn.',
  invitation_declined: 'You declined the invitation.',
  app_accepted: 'The app is yours now.',
  device_forgotten: 'The device gets no notices any more.',
  webhook_deleted: 'The webhook is deleted: nothing more is sent to it.',
  deployment_destroyed: 'The deployment is destroyed for good, and its container with it.',
  deployment_removed: 'The deployment is being removed, and its container with it. Nothing of it can be brought back.',
} as const

type Sentence = (typeof success_messages)[keyof typeof success_messages]

/** The additional sentence while mails are delayed. */
export const mails_delayed = 'Mails are delayed at the moment: it comes as soon as they can be sent.'

/** A sentence of the table, with or without the one about delayed mails. */
export type SuccessMessage = Sentence | `${Sentence} ${typeof mails_delayed}`
