import { setLanguage } from '../../contract/accounts.ts'
import { callApi } from '../api/call.ts'
import { changeLanguage } from '../texts.ts'
import { currentSession } from './session.ts'

/** Changes the language of this browser, and of the mails to who is signed in. */
export async function chooseLanguage(code: string) {
  if (currentSession()) await callApi(setLanguage, { body: { language: code } }).catch(() => undefined)
  changeLanguage(code)
}
