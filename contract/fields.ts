import { Type } from 'typebox'
import {
  date_time,
  decided,
  described,
  nullable_date_time,
  nullable_text,
  nullable_uuid,
  email as email_address,
  text,
  uuid,
} from './schema.ts'

// Fields shared by several resources. A resource lists the ones it has: `Type.Object({ id, inserted_at })`.

export const id = described('A UUID that never changes', uuid)
export const inserted_at = described('When it was created', date_time)
export const updated_at = described('When it was last changed', date_time)
export const expires_at = described('When it expires', date_time)
export const message = described('A sentence for people; programs use the status', text)

export const login_session_id = described('The id of the login session', uuid)
export const passkey_id = described('The id of the passkey', uuid)
export const user_id = described('The id of the person', uuid)
export const username = described('The name of the person, as others see it', text)
export const nullable_username = described(
  'The name of the person, as others see it; null if the account is gone',
  nullable_text,
)
const nullable_display_name = described(
  'The name that others see next to the username; null without one',
  decided('D-165', nullable_text),
)
const picture_url = described(
  'The path of the person’s picture on this server, different for each picture; null without one',
  decided('D-165', nullable_text),
)
/** The public profile fields next to the username. */
export const look = { display_name: nullable_display_name, picture_url }
/** The public profile fields of the sender of a message. */
export const sender_look = { sender_display_name: nullable_display_name, sender_picture_url: picture_url }
export const email = described('The e-mail address of the account', email_address)

export const app_id = described('The id of the app', uuid)
export const scope_request_id = described('The id of the scope request', uuid)
export const movement_id = described('The id of the movement', uuid)
export const hold_id = described('The id of the hold', uuid)
export const webhook_id = described('The id of the webhook', uuid)
export const delivery_id = described('The id of the delivery', uuid)
export const deployment_id = described('The id of the deployment', uuid)
export const friendship_id = described('The id of the friendship', uuid)
export const channel_id = described('The id of the channel', uuid)

export const nullable_app_id = described('The id of the app; null if no app is involved', nullable_uuid)
export const app_name = described('The name of the app, as people see it', text)
export const nullable_app_name = described(
  'The name of the app, as people see it; null if no app is involved',
  nullable_text,
)
export const app_description = described('The owner’s description of the app; null if there is none', nullable_text)
export const logo_url = described('The http or https address of its picture; null if there is none', nullable_text)
export const website_url = described('The http or https address of its pages; null if there is none', nullable_text)
export const client_id = described(
  'The public identifier of the app in OAuth, sent in every request for codes and tokens',
  text,
)
export const allowed_scopes = described(
  'The scopes that people can grant the app; an admin adds further ones on request',
  Type.Array(text),
)

export const decision_reason = described('The admin’s reason, shown to the owner', nullable_text)
export const decided_at = described('When an admin decided; null until then', nullable_date_time)
